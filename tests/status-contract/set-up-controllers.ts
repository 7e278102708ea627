import { Controller, fromInformer, gateReconcile, objectApi } from '@agents/controller'
import { createInformers, formatKey, type KindRef, type KubeClient, kindRef } from '@agents/kube'
import { createLogger } from '@agents/log'
import { onTestFinished } from 'vitest'
import type { Contract, ContractSubject, World } from './contract-subject.ts'
import { idleWorld } from './idle-world.ts'
import { createObject, scopeOf } from './new-object.ts'
import { createNamespace, until } from './server.ts'
import { uniqueName } from './unique-name.ts'

/** Whole controllers for the objects of one namespace. */
export async function setUpControllers(subject: ContractSubject, client: KubeClient) {
  const kind: KindRef<Contract> = kindRef(subject.kind)
  const namespace = uniqueName('controllers')
  await createNamespace(client, namespace)
  const { reconciler } = idleWorld(subject, client)
  const { summary } = reconciler.conditions
  return {
    reconciler,
    create: async () => {
      const key = await createObject(client, subject, namespace)
      return () => client.get(kind, key)
    },
    dependencyAppears: async () => {
      await subject.dependency?.create({ client, namespace })
    },
    isSettled: async (object: () => Promise<Contract>) =>
      ((await object()).status.conditions ?? []).some(
        ({ type, status }) => type === summary && status === 'True',
      ),
    watch: (onObject: (object: Contract) => void) =>
      watchAll(client, kind, scopeOf(subject, namespace), onObject),
    start: (reconcilerOf = (world: World) => world.reconciler) =>
      startController(subject, client, kind, namespace, reconcilerOf),
  }
}

function startController(
  subject: ContractSubject,
  client: KubeClient,
  kind: KindRef<Contract>,
  namespace: string,
  reconcilerOf: (world: World) => World['reconciler'],
) {
  const informers = createInformers(client, { freeze: true })
  const world = subject.world({ client, informers, namespace })
  const scope = scopeOf(subject, namespace)
  const primary = informers.acquire(kind, scope)
  const looks = new Map<string, number>()
  const looksAt = (name: string): number => looks.get(name) ?? 0
  const reconcile = gateReconcile<Contract>(reconcilerOf(world) as never, {
    api: objectApi(client, kind),
  })
  const controller = new Controller<Contract>({
    kind: subject.kind,
    primary: fromInformer(primary),
    sources: world.sources,
    reconcile: async (object, context) => {
      const result = await reconcile(object, context)
      looks.set(object.metadata.name, looksAt(object.metadata.name) + 1)
      return result
    },
    log: createLogger({ sink: { write: () => undefined } }),
    workers: 2,
  })
  const control = new AbortController()
  const running = controller.run(control.signal)
  const stop = async (): Promise<void> => {
    control.abort()
    await running
    await informers.stop()
  }
  onTestFinished(stop)
  const touch = ({ name }: { name: string }): void =>
    controller.queue.add(formatKey({ ...scope, name }))
  return {
    stop,
    touch,
    hasLookedAt: (name: string) => looksAt(name) > 0,
    /** Resolves when it has looked at the object again, from the beginning to the end. */
    lookAgain: async ({ name }: { name: string }) => {
      // The first may have been under way.
      for (let turn = 0; turn < 2; turn += 1) {
        const before = looksAt(name)
        touch({ name })
        await until(() => looksAt(name) > before)
      }
    },
  }
}

async function watchAll(
  client: KubeClient,
  kind: KindRef<Contract>,
  scope: { namespace?: string },
  onObject: (object: Contract) => void,
): Promise<() => Promise<void>> {
  const { metadata } = await client.list(kind, scope)
  const control = new AbortController()
  const stream = await client.watch(kind, {
    ...scope,
    resourceVersion: metadata.resourceVersion,
    signal: control.signal,
  })
  const reading = (async () => {
    for await (const event of stream) if ('object' in event) onObject(event.object as Contract)
  })().catch(() => undefined)
  return async () => {
    control.abort(new Error('seen enough'))
    await reading
  }
}
