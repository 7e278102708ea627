import { Controller, fromInformer, gateReconcile, objectApi } from '@agents/controller'
import { createInformers, formatKey, type KindRef, type KubeClient, kindRef } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { onTestFinished } from 'vitest'
import { createNamespace } from '../../support/testbed/server.ts'
import { uniqueName } from '../../support/testbed/unique-name.ts'
import { until } from '../../support/testbed/until.ts'
import type { Contract, ContractSubject, ControllerEnvironment } from './contract-subject.ts'
import { idleEnvironment } from './idle-environment.ts'
import { createObject, scopeOf } from './new-object.ts'

/** Complete controllers for the objects of one namespace. */
export async function setUpControllers(subject: ContractSubject, client: KubeClient) {
  const kind: KindRef<Contract> = kindRef(subject.kind)
  const namespace = uniqueName('controllers')
  await createNamespace(client, namespace)
  const { reconciler } = idleEnvironment(subject, client)
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
    start: (reconcilerOf = (environment: ControllerEnvironment) => environment.reconciler) =>
      startController(subject, client, kind, namespace, reconcilerOf),
  }
}

function startController(
  subject: ContractSubject,
  client: KubeClient,
  kind: KindRef<Contract>,
  namespace: string,
  reconcilerOf: (environment: ControllerEnvironment) => ControllerEnvironment['reconciler'],
) {
  const informers = createInformers(client, { freeze: true })
  const environment = subject.environment({ client, informers, namespace })
  const scope = scopeOf(subject, namespace)
  const primary = informers.acquire(kind, scope)
  const reconcileCounts = new Map<string, number>()
  const reconciles = (name: string): number => reconcileCounts.get(name) ?? 0
  const reconcile = gateReconcile<Contract>(reconcilerOf(environment) as never, {
    api: objectApi(client, kind),
  })
  const controller = new Controller<Contract>({
    kind: subject.kind,
    primary: fromInformer(primary),
    sources: environment.sources,
    reconcile: async (object, context) => {
      const result = await reconcile(object, context)
      reconcileCounts.set(object.metadata.name, reconciles(object.metadata.name) + 1)
      return result
    },
    log: silentLogger,
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
    hasReconciled: (name: string) => reconciles(name) > 0,
    /** Resolves when the controller has completed a full reconcile of the object. */
    reconcileAgain: async ({ name }: { name: string }) => {
      // The first reconcile may already have been running.
      for (let turn = 0; turn < 2; turn += 1) {
        const before = reconciles(name)
        touch({ name })
        await until(() => reconciles(name) > before)
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
