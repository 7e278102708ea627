import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnyKind } from '@agents/crd'
import {
  conditionsByKind as gitTargetConditions,
  kinds as gitTargetKinds,
} from '@agents/gittarget-api'
import { conditionsByKind as agentsConditions, kinds as agentsKinds } from '@agents/jangar-api'
import { createKubeClient, type KubeClient, type KubeObject, kindRef } from '@agents/kube'
import {
  foldRunVerdicts,
  foldVerdicts,
  type LivingConditions,
  type RunConditions,
  type RunVerdict,
  type Verdict,
} from '@agents/status'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { connectionTo, createNamespace, installKinds } from '../status-contract/server.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../testbed/embedded-server.ts'
import { runTool } from '../tools/run-tool.ts'
import { healthFolder, type Judge, type Style, startJudge } from './judge.ts'

/** What kstatus says when Argo CD says this. Of suspension kstatus knows nothing. */
const sameAs = {
  Healthy: ['Current'],
  Progressing: ['InProgress'],
  Degraded: ['Failed'],
  Suspended: ['Current', 'InProgress', 'Failed'],
} as const

type Health = keyof typeof sameAs

interface Fixture {
  readonly healthStatus: { readonly status: Health; readonly message: string }
  readonly inputPath: string
}

const judge = await startJudge()
afterAll(() => judge?.stop())

const fixtures = await Promise.all(
  (['ready', 'run'] as const).map(async (style) => {
    const text = await readFile(join(healthFolder, style, 'health_test.yaml'), 'utf8')
    const { tests } = parse(text) as { tests: Fixture[] }
    return tests.map((fixture) => ({ style, ...fixture }))
  }),
)

describe.skipIf(judge === undefined)('Argo CD’s fixtures', () => {
  test.each(fixtures.flat())('$style/$inputPath is $healthStatus.status', async (fixture) => {
    const { style, inputPath, healthStatus } = fixture
    const object = parse(await readFile(join(healthFolder, style, inputPath), 'utf8'))
    const { kstatus, argo, message } = await (judge as Judge).ask(style, object)
    expect({ status: argo, message }).toEqual(healthStatus)
    const nobodyLooked = object.status === undefined
    // kstatus takes an object without a status for done; our CRDs never serve one, they default to -1.
    expect(kstatus).toBeOneOf(nobodyLooked ? ['Current'] : [...sameAs[healthStatus.status]])
  })
})

const kinds = [...agentsKinds, ...gitTargetKinds]
const conditionsByKind = { ...agentsConditions, ...gitTargetConditions }

describe.skipIf(judge === undefined)('of every status that a kind can have', () => {
  test.each(kinds)('Argo CD and kstatus think the same of $kind', async (kind) => {
    const declared = conditionsByKind[kind.kind]
    expect(declared).toBeDefined()
    if (declared === undefined) return
    const style: Style = declared.summary === 'Ready' ? 'ready' : 'run'
    for (const { health, status } of situations(declared)) {
      const object = objectOf(kind, status)
      const { kstatus, argo } = await (judge as Judge).ask(style, object)
      expect({ argo, status }).toEqual({ argo: health, status })
      expect(kstatus).toBeOneOf([...sameAs[health]])
    }
  })
})

describe('kubectl wait', () => {
  let server: EmbeddedServer
  let client: KubeClient

  beforeAll(async () => {
    server = await startEmbeddedServer()
    client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
    await installKinds(client, kinds)
    await createNamespace(client, 'agents')
  })

  afterAll(async () => {
    client?.close()
    await server?.stop()
  })

  test.each(fixtures.flat())('agrees about $style/$inputPath', async (fixture) => {
    const { style, inputPath, healthStatus } = fixture
    const object = parse(await readFile(join(healthFolder, style, inputPath), 'utf8'))
    const kind = kinds.find((one) => one.kind === object.kind) as AnyKind
    const name = `${style}-${inputPath.replaceAll(/\W+/g, '-')}`
    await store(client, kind, { ...object, metadata: { ...object.metadata, name } })
    const waits = async (condition: string): Promise<boolean> => {
      const resource = `${kind.plural}.${kind.group}/${name}`
      const args = ['wait', `--for=condition=${condition}`, resource, '-n', 'agents']
      const { kubeconfigPath: kubeconfig } = server
      const result = await runTool(['kubectl', '1.36'], [...args, '--timeout=1s'], { kubeconfig })
      return result.code === 0
    }
    const { status } = healthStatus
    if (status !== 'Suspended') expect(await waits('Ready')).toBe(status === 'Healthy')
    if (style === 'run') {
      expect(await waits('Succeeded')).toBe(status === 'Healthy')
      expect(await waits('Finished')).toBe(status !== 'Progressing')
    }
  })
})

/** Creates the object as it was before its last change, so that the server counts up to the fixture's generation. */
async function store(client: KubeClient, kind: AnyKind, object: KubeObject): Promise<void> {
  const ref = kindRef<KubeObject & { spec?: object; status?: object }>(kind)
  const { generation = 1, name, namespace } = object.metadata
  const { spec, status } = object as { spec: Record<string, unknown>; status?: object }
  const created = await client.create(ref, {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, namespace },
    spec: generation > 1 ? { ...spec, ...olderSpec[kind.kind] } : spec,
  } as never)
  if (generation > 1) {
    const body = { spec: newerSpec[kind.kind] }
    await client.patch(ref, created.metadata, { type: 'merge', body })
  }
  if (status !== undefined) {
    const options = { subresource: 'status' } as const
    await client.patch(ref, created.metadata, { type: 'merge', body: { status } }, options)
  }
}

const olderSpec: Record<string, object> = { GitTarget: { suspend: true }, AgentRun: {} }
const newerSpec: Record<string, object> = {
  GitTarget: { suspend: false },
  AgentRun: { cancel: true },
}

function objectOf(kind: AnyKind, status: unknown): KubeObject {
  return {
    apiVersion: `${kind.group}/v1alpha1`,
    kind: kind.kind,
    metadata: { name: 'x', namespace: 'agents', generation: 3 },
    spec: {},
    status,
  } as KubeObject
}

const at = { now: new Date('2026-01-02T03:04:05Z'), generation: 3 }

interface Situation {
  readonly health: Health
  readonly status: unknown
}

/** Each gate in turn not passing, in each way; and for runs each end. */
function situations(declared: LivingConditions | RunConditions): Situation[] {
  const passing = declared.gates.map((gate) => {
    const [reason = ''] = Object.keys(gate.reasons)
    return { kind: 'pass', reason, message: 'Well.' } as const
  })
  const isLiving = declared.summary === 'Ready'
  const fold = (verdicts: readonly (Verdict | RunVerdict)[]): unknown =>
    isLiving
      ? foldVerdicts(declared as LivingConditions, verdicts as Verdict[], undefined, at)
      : foldRunVerdicts(declared as RunConditions, verdicts as never, undefined, at)
  const blocked = declared.gates.flatMap((gate, index): Situation[] => {
    const [, reason = ''] = Object.keys(gate.reasons)
    const before = passing.slice(0, index)
    const waiting = fold([...before, { kind: 'wait', reason, message: 'Not yet.' }])
    const stalled = fold([...before, { kind: 'stall', reason, message: 'Never.' }])
    return [
      { health: 'Progressing', status: waiting },
      { health: isLiving ? 'Degraded' : 'Progressing', status: stalled },
      { health: 'Progressing', status: fold([...before, { kind: 'threw', message: 'Lost.' }]) },
    ]
  })
  if (isLiving) return [...blocked, { health: 'Healthy', status: fold(passing) }]
  const ends: [Health, RunVerdict][] = [
    ['Progressing', { kind: 'wait', reason: 'Running', message: 'It runs.' }],
    ['Healthy', { kind: 'succeeded', message: 'Done.' }],
    ['Degraded', { kind: 'failed', reason: 'Failed', message: 'It broke.' }],
    ['Degraded', { kind: 'cancelled', message: 'Stopped.' }],
  ]
  return [...blocked, ...ends.map(([health, end]) => ({ health, status: fold([...passing, end]) }))]
}
