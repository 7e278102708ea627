import { type Clock, systemClock } from '@agents/controller'
import { type Connection, createInformers, createKubeClient, type KubeClient } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type FaultServer, faultServers } from '../../support/testbed/fault-servers.ts'
import { seededRandom } from '../../support/testbed/seeded-random.ts'
import { createNamespace, installKinds } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { uniqueName } from '../../support/testbed/unique-name.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { expectNoDoubles, startChurn, watchObjectHistory } from './churn.ts'
import { startFlakyProxy } from './flaky-proxy.ts'
import { WidgetKind, widget, widgetController } from './widget.ts'

describe.each(await serversOfTier())('controllers on the %s server', (name) => {
  let server: FaultServer
  let client: KubeClient
  beforeAll(async () => {
    server = await faultServers[name]()
    client = createKubeClient(server.connection)
    await installKinds(client, [widget])
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })

  test('two instances for the same objects agree', async () => {
    const { churn, namespace, uidsByName } = await setUp(client)
    const controllers = [1, 2].map(() => startController(server.connection, namespace))
    for (let step = 0; step < 120; step += 1) await churn.step()
    await churn.converged()
    expectNoDoubles(uidsByName, churn.living)
    for (const controller of controllers) await controller.expectSameAs(churn.living)
  })

  test('converge although one in twenty requests fails and the clock jumps by up to a day', async () => {
    const { churn, namespace, uidsByName } = await setUp(client)
    const random = seededRandom()
    const proxy = await startFlakyProxy(server.connection, 0.05, random)
    onTestFinished(() => proxy.stop())
    const controller = startController(proxy.connection, namespace, jumpingClock(random))
    for (let step = 0; step < 300; step += 1) await churn.step()
    await churn.converged()
    expect(proxy.faults()).toBeGreaterThan(0)
    expectNoDoubles(uidsByName, churn.living)
    await controller.expectSameAs(churn.living)
  })

  test('survive a crash of the server', async () => {
    const { churn, namespace, uidsByName } = await setUp(client)
    const controller = startController(server.connection, namespace)
    for (let crash = 0; crash < 3; crash += 1) {
      for (let step = 0; step < 20; step += 1) await churn.step()
      const back = server.crash()
      for (let step = 0; step < 20; step += 1) await churn.step()
      await back
    }
    await churn.converged()
    expectNoDoubles(uidsByName, churn.living)
    await controller.expectSameAs(churn.living)
  })

  test('that are idle write nothing and relist nothing', async () => {
    const { churn, namespace } = await setUp(client)
    const controller = startController(server.connection, namespace)
    while (churn.living.size < 50) await churn.step()
    await churn.converged()
    await until(() => controller.isQuiet())
    const before = controller.counts()
    const body = { metadata: { annotations: { touched: 'true' } } }
    for (const each of churn.living.keys()) {
      await client.patch(WidgetKind, { namespace, name: each }, { type: 'merge', body })
    }
    const list = await client.list(WidgetKind, { namespace })
    // Each object is looked at once more.
    await until(() => controller.seesAll('touched'))
    await until(() => controller.isQuiet())
    // Long enough for what is done in intervals.
    if (isFull) await new Promise((resolve) => setTimeout(resolve, 3000))
    expect(controller.counts()).toEqual(before)
    expect((await client.list(WidgetKind, { namespace })).items).toEqual(list.items)
  })
})

async function setUp(client: KubeClient) {
  const namespace = uniqueName('faults')
  await createNamespace(client, namespace)
  const informers = createInformers(client)
  onTestFinished(() => informers.stop())
  const uidsByName = watchObjectHistory(informers, namespace)
  await informers.waitForSync()
  return { namespace, uidsByName, churn: startChurn(client, namespace, seededRandom()) }
}

function startController(connection: Connection, namespace: string, clock?: Clock) {
  const requests = { writes: 0, lists: 0 }
  const client = createKubeClient(connection, {
    onRequest: ({ method }) => {
      if (method !== 'GET') requests.writes += 1
    },
  })
  const informers = createInformers(client, { freeze: true })
  const log = silentLogger
  const controller = widgetController({
    client,
    informers,
    namespace,
    log,
    workers: 4,
    ...(clock && { clock }),
  })
  const control = new AbortController()
  const running = controller.run(control.signal)
  onTestFinished(async () => {
    control.abort()
    await running
    await informers.stop()
    client.close()
  })
  const { store } = informers.acquire(WidgetKind, { namespace }).informer
  return {
    isQuiet: () => controller.queue.length === 0 && controller.queue.workInProgress().length === 0,
    /** Whether the cache shows this annotation on every object. */
    seesAll: (annotation: string) =>
      store.list().every(({ metadata }) => metadata.annotations?.[annotation] !== undefined),
    counts: () => ({
      writes: requests.writes,
      replaces: informers.all().map((informer) => informer.stats().replaces),
    }),
    /** Expects that the cache contains the existing objects and no deleted ones. */
    expectSameAs: async (living: ReadonlyMap<string, string>) => {
      const wanted = [...living.keys()].map((name) => `${namespace}/${name}`).sort()
      await until(() => JSON.stringify(store.keys().sort()) === JSON.stringify(wanted))
    },
  }
}

/** A wall clock that jumps back and forth by up to a day with every reading; durations are unaffected. */
function jumpingClock(random: () => number): Clock {
  const aDay = 86_400_000
  return {
    ...systemClock,
    now: () => new Date(Date.now() + (random() * 2 - 1) * aDay),
  }
}
