import type { AnyKind } from '@agents/crd'
import { createKubeClient, type KubeClient, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { readFixtures, sameAs } from './fixtures.ts'
import { type HealthEvaluator, startEvaluator } from './judge.ts'
import { everyKind, situationsOf } from './situations.ts'

const evaluator = await startEvaluator()
afterAll(() => evaluator?.stop())

const fixtures = await readFixtures()

describe.skipIf(evaluator === undefined)('Argo CD’s fixtures', () => {
  test.each(fixtures)('$style/$inputPath is $healthStatus.status', async (fixture) => {
    const { style, object, healthStatus } = fixture
    const { kstatus, argo, message } = await (evaluator as HealthEvaluator).ask(style, object)
    expect({ status: argo, message }).toEqual(healthStatus)
    const notReconciled = object.status === undefined
    // kstatus considers an object without a status Current; our CRDs never serve one, because they default
    // observedGeneration to -1.
    expect(kstatus).toBeOneOf(notReconciled ? ['Current'] : [...sameAs[healthStatus.status]])
  })
})

describe.skipIf(evaluator === undefined)('every status that a kind can have', () => {
  test.each(everyKind)('Argo CD and kstatus agree about $kind', async (kind) => {
    for (const { style, health, object } of situationsOf(kind)) {
      const { kstatus, argo } = await (evaluator as HealthEvaluator).ask(style, object)
      expect({ argo, object }).toEqual({ argo: health, object })
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
    await installKinds(client, everyKind)
    await createNamespace(client, 'agents')
  })

  afterAll(async () => {
    client?.close()
    await server?.stop()
  })

  test.each(fixtures)('agrees about $style/$inputPath', async (fixture) => {
    const { style, inputPath, healthStatus, object } = fixture
    const kind = everyKind.find((one) => one.kind === object.kind) as AnyKind
    const name = `${style}-${inputPath.replaceAll(/\W+/g, '-')}`
    await store(client, kind, { ...object, metadata: { ...object.metadata, name } })
    const expectWait = async (condition: string, isMet: boolean): Promise<void> => {
      const resource = `${kind.plural}.${kind.group}/${name}`
      const args = ['wait', `--for=condition=${condition}`, resource, '-n', 'agents']
      const { kubeconfigPath: kubeconfig } = server
      // A condition that holds gets a generous timeout for busy machines; without one, kubectl asks once.
      const timeout = `--timeout=${isMet ? 120 : 0}s`
      const options = { kubeconfig, timeoutMs: 200_000 }
      const { code } = await runTool(['kubectl', '1.36'], [...args, timeout], options)
      expect(code === 0, condition).toBe(isMet)
    }
    const { status } = healthStatus
    if (status !== 'Suspended') await expectWait('Ready', status === 'Healthy')
    if (style === 'run') {
      await expectWait('Succeeded', status === 'Healthy')
      await expectWait('Finished', status !== 'Progressing')
    }
  })
})

/** Creates the object as it was before its last change, so that the server increments to the fixture's generation. */
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
