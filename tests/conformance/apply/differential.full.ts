import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { type Comparison, Mirror } from './mirror.ts'
import { configMapSteps, deploymentSteps, serviceSteps, widgetSteps } from './random-steps.ts'
import { lostOrInvented } from './same-but-defaults.ts'
import type { Step } from './step.ts'
import { scenarios } from './stories.ts'
import type { Subject } from './subject.ts'
import { served, subjects } from './subjects.ts'
import { gadget, gadgetDefinition, widgetDefinition, widgets } from './widget.ts'

const availability = await realClusterAvailable()
if (!availability.available) {
  process.stderr.write(`\nSKIPPED, no real Kubernetes API server: ${availability.reason}\n\n`)
}

const { configMaps, deployments, services } = subjects

describe.skipIf(!availability.available)('field ownership, compared with the real server', () => {
  let cluster: RealCluster
  let client: ApiClient
  beforeAll(async () => {
    cluster = await startRealCluster({
      fsync: false,
      disableAdmissionPlugins: ['ServiceAccount'],
    })
    client = apiClient(cluster)
    await client.send({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: widgetDefinition,
    })
    await served(client, widgets.path)
  })
  afterAll(async () => {
    client?.close()
    await cluster?.stop()
  })

  for (const [number, { because, kind, steps }] of scenarios.entries()) {
    test(because, async () => {
      const mirror = new Mirror(client, subjects[kind], `story-${number}`)
      for (const [index, step] of steps.entries()) {
        const before = mirror.live
        const comparison = await mirror.step(step)
        if (comparison === undefined) throw new Error(`step ${index} was refused`)
        expectSame(comparison, subjects[kind], `step ${index}`, before, step)
      }
      await mirror.remove()
    })
  }

  test('ownership follows a schema whose lists and maps become atomic, and back', async () => {
    const mirror = new Mirror(client, gadget('v1', false), 'schemas')
    const playStep = async (step: Step): Promise<void> => {
      const before = mirror.live
      const comparison = await mirror.step(step)
      if (comparison === undefined) throw new Error(`${JSON.stringify(step)} was refused`)
      expectSame(comparison, gadget('v1', false), 'schema change', before, step)
    }
    const some = { map: { a: 'x' }, part: { a: 'x' }, list: ['a'] }
    const more = { map: { b: 'x' }, part: { b: 1 }, list: ['b'] }
    await defineGadgets(client, false)
    await playStep({ do: 'apply', manager: 'one', body: { spec: some } })
    await playStep({ do: 'apply', manager: 'two', body: { spec: more } })
    await playStep({
      do: 'merge',
      manager: 'three',
      body: { spec: { map: { c: 'x' }, replicas: 1 } },
    })
    await defineGadgets(client, true)
    mirror.use(gadget('v1', true))
    await playStep({ do: 'merge', manager: 'four', body: { spec: { replicas: 2 } } })
    await playStep({ do: 'apply', manager: 'one', body: { spec: some } })
    await playStep({ do: 'apply', manager: 'one', body: { spec: some }, force: true })
    await defineGadgets(client, false)
    mirror.use(gadget('v1', false))
    await playStep({ do: 'apply', manager: 'two', body: { spec: more } })
    await playStep({ do: 'apply', manager: 'one', body: { spec: { map: { a: 'y' } } } })
    await playStep({ do: 'apply', manager: 'one', body: {} })
  })

  test('ownership reaches across the versions of a kind', async () => {
    const first = gadget('v1', false)
    const second = gadget('v2', false)
    const mirror = new Mirror(client, first, 'versions', [second])
    const playStep = async (step: Step): Promise<void> => {
      const before = mirror.live
      const comparison = await mirror.step(step)
      if (comparison === undefined) throw new Error(`${JSON.stringify(step)} was refused`)
      expectSame(comparison, first, 'versions', before, step)
    }
    await defineGadgets(client, false)
    await playStep({
      do: 'apply',
      manager: 'one',
      body: { spec: { replicas: 1, list: ['a', 'b'], map: { a: 'x' } } },
    })
    await playStep({ do: 'merge', manager: 'three', body: { spec: { part: { a: 'x' } } } })
    mirror.use(second)
    await playStep({ do: 'apply', manager: 'two', body: { spec: { replicas: 2 } } })
    await playStep({
      do: 'apply',
      manager: 'two',
      body: { spec: { replicas: 2, list: ['b'] } },
      force: true,
    })
    await playStep({ do: 'merge', manager: 'three', body: { spec: { part: { b: 1 } } } })
    await playStep({ do: 'apply', manager: 'one', body: { spec: { map: { b: 'x' } } } })
    mirror.use(first)
    await playStep({ do: 'apply', manager: 'two', body: {} })
    await playStep({ do: 'apply', manager: 'one', body: {} })
  })

  const random: readonly {
    kind: string
    subject: Subject
    steps: fc.Arbitrary<Step[]>
    runs: number
  }[] = [
    { kind: 'widgets', subject: widgets, steps: widgetSteps, runs: 150 },
    { kind: 'config maps', subject: configMaps, steps: configMapSteps, runs: 50 },
    { kind: 'deployments', subject: deployments, steps: deploymentSteps, runs: 80 },
    { kind: 'services', subject: services, steps: serviceSteps, runs: 50 },
  ]
  test.each(random)('is the same for random $kind', async ({ subject, steps, runs }) => {
    let compared = 0
    for (const [index, sequence] of fc
      .sample(steps, { seed: 20_260_101, numRuns: runs })
      .entries()) {
      const mirror = new Mirror(client, subject, `random-${index}`)
      for (const [at, step] of sequence.entries()) {
        const before = mirror.live
        const comparison = await mirror.step(step)
        if (comparison === undefined) continue
        compared++
        expectSame(comparison, subject, `scenario ${index}, step ${at}`, before, step)
      }
      await mirror.remove()
    }
    expect(compared).toBeGreaterThan(runs * 3)
  })
})

function expectSame(
  { real, ours }: Comparison,
  subject: Subject,
  where: string,
  before: unknown,
  step: Step,
): void {
  const scenario = () => `${where}\nbefore ${JSON.stringify(before)}\nstep ${JSON.stringify(step)}`
  expect(ours.error, scenario()).toEqual(real.error)
  expect(ours.managedFields, scenario()).toEqual(real.managedFields)
  if (subject.resource.isCustom) expect(ours.data, scenario()).toEqual(real.data)
  else {
    // Built-in objects are written in the order of upstream's structs, custom ones sorted.
    expect(JSON.stringify(ours.managedFields), scenario()).toBe(JSON.stringify(real.managedFields))
    expect(lostOrInvented(ours.data ?? null, real.data ?? null), scenario()).toEqual([])
  }
}

/** Serves gadgets with this schema: only the active schema has its marker. */
async function defineGadgets(client: ApiClient, isAtomic: boolean): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const body = gadgetDefinition(isAtomic)
  const known = await client.send({ method: 'POST', path, body })
  if (known.code === 409) {
    await client.send({
      method: 'PATCH',
      path: `${path}/gadgets.apply.example.dev`,
      contentType: 'application/merge-patch+json',
      body,
    })
  }
  const deadline = performance.now() + 120_000
  for (const version of ['v1', 'v2'] as const) {
    const { path: gadgets, resource } = gadget(version, isAtomic)
    const probe = {
      apiVersion: `${resource.group}/${version}`,
      kind: 'Gadget',
      spec: { [isAtomic ? 'atomic' : 'granular']: 'served' },
    }
    for (;;) {
      const { code } = await client.send({
        method: 'PATCH',
        path: `${gadgets}/probe?fieldManager=probe&dryRun=All`,
        contentType: 'application/apply-patch+yaml',
        body: { ...probe, metadata: { name: 'probe' } },
      })
      if (code === 201) break
      if (performance.now() > deadline) throw new Error('the schema of gadgets is not served')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
