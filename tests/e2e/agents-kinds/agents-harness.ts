import { parseConfig } from '@agents/config'
import {
  type Clock,
  Controller,
  type EventNote,
  gateReconcile,
  type KindController,
  objectApi,
  systemClock,
} from '@agents/controller'
import {
  type AgentsPorts,
  agentController,
  agentProviderController,
  agentsCaches,
  controllers,
  coreCaches,
  implementationSourceController,
  implementationSpecController,
  memoryController,
  orchestrationCaches,
  orchestrationController,
  orchestrationRunController,
  scheduleController,
  secretBindingController,
  signalController,
  signalDeliveryController,
  supportingCaches,
  versionControlProviderController,
  workspaceController,
} from '@agents/jangar'
import {
  type Condition,
  createInformers,
  type KindRef,
  type KubeClient,
  type KubeObject,
} from '@agents/kube'
import { createLogger } from '@agents/log'
import { onTestFinished } from 'vitest'
import { createNamespace } from '../../support/testbed/server.ts'
import { uniqueName } from '../../support/testbed/unique-name.ts'
import { until } from '../../support/testbed/until.ts'

export interface AgentsHarness {
  readonly namespace: string
  readonly client: KubeClient
  /** Advances the wall clock and the monotonic clock without waiting. */
  skip(milliseconds: number): void
  create(kind: KindRef, name: string, content: object): Promise<void>
  /** Waits until the object's condition has this reason and, if given, contains this text. Returns its message. */
  waitForCondition(
    kind: KindRef,
    name: string,
    type: string,
    reason: string,
    text?: string,
  ): Promise<string>
  ready(kind: KindRef, name: string): Promise<unknown>
  /** Enqueues the object without a change; resolves when it has been reconciled. */
  touch(kind: KindRef, name: string): Promise<void>
  /** Delays of all timers that were requested, in milliseconds. */
  readonly alarms: readonly number[]
  /** Everything that was logged or recorded as an event. */
  readonly words: readonly string[]
}

const controllersOf = [
  agentController,
  agentProviderController,
  implementationSpecController,
  implementationSourceController,
  versionControlProviderController,
  memoryController,
] as unknown as readonly ((ports: AgentsPorts) => KindController)[]

/** Starts the controllers of all living kinds for one namespace, which is created unless given. */
export async function startAgents(
  client: KubeClient,
  existing?: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<AgentsHarness> {
  const namespace = existing ?? uniqueName('agents')
  if (existing === undefined) await createNamespace(client, namespace)
  const words: string[] = []
  const alarms: number[] = []
  let skippedMs = 0
  const clock: Clock = {
    ...systemClock,
    now: () => new Date(Date.now() + skippedMs),
    elapsed: () => performance.now() + skippedMs,
    after: (milliseconds, action) => {
      alarms.push(milliseconds)
      return systemClock.after(milliseconds, action)
    },
  }
  const touch = startControllers(client, namespace, clock, words, settings)
  const conditionOf = async (kind: KindRef, name: string, type: string) => {
    const { status } = await client.get(kind, { namespace, name })
    const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] }
    return conditions.find((one) => one.type === type)
  }
  const waitForCondition: AgentsHarness['waitForCondition'] = async (
    kind,
    name,
    type,
    reason,
    text = '',
  ) => {
    let found: Condition | undefined
    await until(async () => {
      found = await conditionOf(kind, name, type)
      return found?.reason === reason && found.message?.includes(text)
    })
    return found?.message ?? ''
  }
  return {
    namespace,
    client,
    alarms,
    words,
    touch,
    waitForCondition,
    skip: (milliseconds) => {
      skippedMs += milliseconds
    },
    create: async (kind, name, content) => {
      await client.create(kind, { ...content, metadata: { name, namespace } } as never)
    },
    ready: (kind, name) =>
      until(async () => (await conditionOf(kind, name, 'Ready'))?.status === 'True'),
  }
}

function startControllers(
  client: KubeClient,
  namespace: string,
  clock: Clock,
  words: string[],
  settings: Readonly<Record<string, string>>,
): AgentsHarness['touch'] {
  const informers = createInformers(client, { freeze: true })
  const log = createLogger({ level: 'debug', sink: { write: (line) => words.push(line) } })
  const events = { record: (_object: KubeObject, { message }: EventNote) => words.push(message) }
  const caches = { ...coreCaches(informers, [namespace]), ...agentsCaches(informers, [namespace]) }
  const config = parseConfig(controllers, settings)
  const isPlatformAccount = () => false
  const ports = { client, caches, events, log, clock, config, isPlatformAccount }
  const control = new AbortController()
  const supporting = supportingCaches(informers, [namespace])
  const orchestration = orchestrationCaches(informers, [namespace])
  const retentionMs = config.supporting.signalDeliveryRetentionMs
  const others = [
    scheduleController({ client, caches: supporting }),
    orchestrationController({ caches: orchestration }),
    orchestrationRunController({ client, caches: orchestration, runRetentionMs: 0 }),
    secretBindingController({ caches: supporting }),
    signalController({ caches: supporting }),
    signalDeliveryController({ client, caches: supporting, retentionMs }),
    workspaceController({ client, caches: supporting }),
  ] as unknown as KindController[]
  const all = [...controllersOf.map((controllerOf) => controllerOf(ports)), ...others]
  const running = all.map(({ primary, reconciler, sources, workers = 1, gone }) => {
    const looks = new Map<string, number>()
    const reconcile = gateReconcile(reconciler, { api: objectApi(client, primary.kind), events })
    const controller = new Controller({
      kind: primary.kind,
      primary,
      sources,
      workers,
      log,
      clock,
      ...(gone && { gone }),
      reconcile: async (object: KubeObject, context) => {
        const { name } = object.metadata
        try {
          return await reconcile(object, context)
        } finally {
          looks.set(name, (looks.get(name) ?? 0) + 1)
        }
      },
    })
    return { kind: primary.kind, controller, looks, ended: controller.run(control.signal) }
  })
  onTestFinished(async () => {
    control.abort()
    await Promise.all(running.map(({ ended }) => ended))
    await informers.stop()
  })
  return async (kind, name) => {
    const found = running.find((one) => one.kind.plural === kind.plural)
    // The first reconcile may already have been running.
    for (let turn = 0; turn < 2; turn += 1) {
      const before = found?.looks.get(name) ?? 0
      found?.controller.queue.add(`${namespace}/${name}`)
      await until(() => (found?.looks.get(name) ?? 0) > before)
    }
  }
}
