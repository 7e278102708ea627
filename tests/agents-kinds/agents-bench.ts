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
  implementationSourceController,
  implementationSpecController,
  memoryController,
  versionControlProviderController,
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
import { createNamespace, until } from '../status-contract/server.ts'
import { uniqueName } from '../status-contract/unique-name.ts'

export interface AgentsBench {
  readonly namespace: string
  readonly client: KubeClient
  /** Lets the wall clock and the other one go ahead, without anybody waiting. */
  skip(milliseconds: number): void
  create(kind: KindRef, name: string, content: object): Promise<void>
  /** Until the object's condition has this reason, and says this where it is given; its message. */
  told(kind: KindRef, name: string, type: string, reason: string, saying?: string): Promise<string>
  ready(kind: KindRef, name: string): Promise<void>
  /** Lets its controller look at the object although nothing has happened; resolves when it has. */
  touch(kind: KindRef, name: string): Promise<void>
  /** For how long somebody wanted to be woken later, in milliseconds. */
  readonly alarms: readonly number[]
  /** Everything that was logged or told in events. */
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

/** The controllers of all living kinds of the agents group, for one namespace, a new one unless it is there already. */
export async function startAgents(client: KubeClient, existing?: string): Promise<AgentsBench> {
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
  const touch = startControllers(client, namespace, clock, words)
  const conditionOf = async (kind: KindRef, name: string, type: string) => {
    const { status } = await client.get(kind, { namespace, name })
    const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] }
    return conditions.find((one) => one.type === type)
  }
  const told: AgentsBench['told'] = async (kind, name, type, reason, saying = '') => {
    let found: Condition | undefined
    await until(async () => {
      found = await conditionOf(kind, name, type)
      return found?.reason === reason && found.message?.includes(saying)
    })
    return found?.message ?? ''
  }
  return {
    namespace,
    client,
    alarms,
    words,
    touch,
    told,
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
): AgentsBench['touch'] {
  const informers = createInformers(client, { freeze: true })
  const log = createLogger({ level: 'debug', sink: { write: (line) => words.push(line) } })
  const events = { record: (_object: KubeObject, { message }: EventNote) => words.push(message) }
  const caches = agentsCaches(informers, [namespace])
  const ports = { client, caches, events, log, clock, config: parseConfig(controllers, {}) }
  const control = new AbortController()
  const running = controllersOf.map((controllerOf) => {
    const { primary, reconciler, sources, workers = 1, gone } = controllerOf(ports)
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
    // The first may have been under way.
    for (let turn = 0; turn < 2; turn += 1) {
      const before = found?.looks.get(name) ?? 0
      found?.controller.queue.add(`${namespace}/${name}`)
      await until(() => (found?.looks.get(name) ?? 0) > before)
    }
  }
}
