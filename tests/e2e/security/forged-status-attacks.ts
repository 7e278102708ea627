import { controllersConfig, startControllers } from '@agents/jangar'
import {
  type AgentRun,
  agentRun,
  conditionsByKind,
  kinds,
  unreconciledKinds,
} from '@agents/jangar-api'
import {
  type Condition,
  CustomResourceDefinitionKind,
  isInvalid,
  type KubeClient,
  type KubeObject,
  kindRef,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { isFinished } from '@agents/status'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connect,
  createNamespace,
  installKinds,
  type RunningServer,
  type StartServer,
} from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'
import { at, changed, condition, failed, pending, running } from './run-statuses.ts'

const namespace = 'agents'
const runKind = kindRef<AgentRun>(agentRun)
const longAgo = '2020-01-01T00:00:00Z'
const runKinds = kinds.filter(({ summary }) => summary === 'Succeeded')

/** A run that waits until it is cancelled. */
const runSpec = {
  agentRef: { name: 'missing' },
  implementation: { inline: { text: 'Wait.' } },
  runtime: { type: 'job' },
}

const digest = 'a'.repeat(64)

/** Specs of the kinds that cannot be created without one. */
const specs: Readonly<Record<string, object>> = {
  AgentRun: runSpec,
  ApprovalRequest: {
    subject: { kind: 'AgentRun', name: 'waiting', uid: 'a' },
    policyRef: { name: 'release' },
    digest,
    summary: 'Wait.',
  },
  ApprovalDecision: {
    requestRef: { name: 'waiting' },
    digest,
    decision: 'Approve',
    approver: { username: 'release-manager' },
  },
}

interface RunStatus {
  readonly startedAt?: string | null
  readonly finishedAt?: string | null
  readonly conditions?: readonly Condition[] | null
}

type Run = KubeObject & { readonly status?: RunStatus }

/** A user who may write the status of runs rewrites the history of a run. */
export function forgedStatusAttacks(start: StartServer): void {
  let server: RunningServer
  let client: KubeClient

  beforeAll(async () => {
    server = await start()
    client = connect({ ...server.connection, namespace })
    await installKinds(
      client,
      kinds.filter((kind) => !unreconciledKinds.includes(kind)),
    )
    await createNamespace(client, namespace)
  }, 180_000)

  afterAll(async () => {
    client?.close()
    await server?.stop()
  })

  describe.each(runKinds.map((kind) => ({ name: kind.kind, kind })))('$name', ({ kind }) => {
    const ref = kindRef<Run>(kind)
    const gates = conditionsByKind[kind.kind]?.gates.map(({ type }) => type) ?? []
    const key = (name: string) => ({ namespace, name })
    const patch = (name: string, status: object | null) =>
      client.patch(ref, key(name), { type: 'merge', body: { status } }, { subresource: 'status' })
    const create = (name: string) => {
      const metadata = { name, namespace }
      return client.create(ref, {
        metadata,
        ...(specs[kind.kind] && { spec: specs[kind.kind] }),
      } as never)
    }

    test('is neither started nor finished by a timestamp alone', async () => {
      await create('waiting')
      await patch('waiting', { conditions: pending(gates) })
      for (const forged of [{ finishedAt: longAgo }, { startedAt: longAgo }]) {
        await expect(patch('waiting', forged)).rejects.toSatisfy(isInvalid)
      }
      const { status } = await client.get(ref, key('waiting'))
      expect(status).not.toHaveProperty('startedAt')
      expect(status).not.toHaveProperty('finishedAt')
    })

    test('keeps its timestamps and its outcome', async () => {
      await create('failed')
      await patch('failed', { conditions: pending(gates) })
      await patch('failed', { conditions: running(gates), startedAt: at(1) })
      await expect(patch('failed', { startedAt: longAgo })).rejects.toSatisfy(isInvalid)
      await expect(patch('failed', { startedAt: null })).rejects.toSatisfy(isInvalid)
      const end = failed(gates)
      await patch('failed', { conditions: end, finishedAt: at(2) })
      const before = await client.get(ref, key('failed'))
      const forgeries: (RunStatus | null)[] = [
        { finishedAt: longAgo },
        { finishedAt: null },
        { startedAt: longAgo },
        { startedAt: null },
        { conditions: changed(end, 'Succeeded', { status: 'True' }) },
        { conditions: changed(end, 'Succeeded', { status: 'Unknown' }) },
        { conditions: changed(end, 'Succeeded', { reason: 'Other' }) },
        { conditions: changed(end, 'Succeeded', { message: 'it succeeded' }) },
        { conditions: changed(end, 'Ready', { status: 'True' }) },
        { conditions: changed(end, 'Finished', { status: 'False' }) },
        { conditions: changed(end, 'Finished', { lastTransitionTime: longAgo }) },
        { conditions: end.filter(({ type }) => type !== 'Finished') },
        { conditions: end.filter(({ type }) => type !== 'Stalled') },
        { conditions: [...end, condition('Reconciling', 'True', 2)] },
        { conditions: [] },
        { conditions: null },
        null,
      ]
      const accepted: unknown[] = []
      for (const forged of forgeries) {
        const refused = await patch('failed', forged).then(() => false, isInvalid)
        if (!refused) accepted.push(forged)
      }
      expect(accepted).toEqual([])
      const { status: _, ...bare } = before
      await expect(client.update(ref, bare as Run, { subresource: 'status' })).rejects.toSatisfy(
        isInvalid,
      )
      expect(await client.get(ref, key('failed'))).toEqual(before)
    })

    test('still accepts what its controller writes after the end', async () => {
      await create('done')
      await patch('done', { conditions: failed(gates), finishedAt: at(2) })
      await patch('done', {
        observedGeneration: 2,
        updatedAt: at(3),
        phase: 'Failed',
        conditions: failed(gates).map((one) => ({ ...one, observedGeneration: 2 })),
      })
      expect((await client.get(ref, key('done'))).status).toMatchObject({ observedGeneration: 2 })
    })
  })

  test('a status that was forged before an upgrade neither deletes the run nor blocks it', async () => {
    const key = { namespace, name: 'forged-before' }
    const get = () => client.get(runKind, key)
    const patchSpec = (spec: object) =>
      client.patch(runKind, key, { type: 'merge', body: { spec } })
    const patchStatus = (status: object, dryRun = false) =>
      client.patch(
        runKind,
        key,
        { type: 'merge', body: { status } },
        { subresource: 'status', dryRun },
      )
    await client.create(runKind, {
      metadata: key,
      spec: { ...runSpec, ttlSecondsAfterFinished: 3600 },
    } as never)
    const forged = { startedAt: longAgo, finishedAt: longAgo }
    const rules = await replaceStatusRules(client, undefined)
    await until(() => patchStatus(forged).then(() => true, rejectsInvalid))
    await replaceStatusRules(client, rules)
    await until(() => patchStatus({ startedAt: null }, true).then(() => false, isInvalid))
    const controllers = startControllers({
      client,
      config: controllersConfig({ JANGAR_AGENT_RUNNER_IMAGE: 'local' }),
      log: silentLogger,
    })
    try {
      await controllers.ready
      await until(async () => ((await get()).status?.conditions ?? []).length > 0)
      await patchSpec({ cancel: true })
      await until(async () => isFinished((await get()).status?.conditions as Condition[]))
      // After a change of the spec, the controller reconciles the finished run again.
      await patchSpec({ ttlSecondsAfterFinished: 7200 })
      await until(async () => {
        const { metadata, status } = await get()
        return status?.observedGeneration === metadata.generation
      })
      expect((await get()).status).toMatchObject({ phase: 'Cancelled', ...forged })
    } finally {
      await controllers.stop()
    }
  })
}

/** Replaces the CEL rules on the status of AgentRuns, and returns the previous ones. */
async function replaceStatusRules(client: KubeClient, rules: unknown): Promise<unknown> {
  const name = `${agentRun.plural}.${agentRun.group}`
  const definition = structuredClone(await client.get(CustomResourceDefinitionKind, { name }))
  const versions = definition.spec.versions as unknown as {
    schema: { openAPIV3Schema: { properties: { status: Record<string, unknown> } } }
  }[]
  const status = versions[0]?.schema.openAPIV3Schema.properties.status ?? {}
  const before = status[validations]
  if (rules === undefined) delete status[validations]
  else status[validations] = rules
  await client.update(CustomResourceDefinitionKind, definition)
  return before
}

const validations = 'x-kubernetes-validations'

function rejectsInvalid(error: unknown): false {
  if (isInvalid(error)) return false
  throw error
}
