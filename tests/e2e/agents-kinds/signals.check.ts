import { type Signal, type SignalDelivery, signal, signalDelivery } from '@agents/jangar-api'
import { kindRef, parseJson } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { type StartServer, servers } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'
import { startAgents } from './agents-harness.ts'
import { agentsServer } from './agents-server.ts'

const signals = kindRef<Signal>(signal)
const deliveries = kindRef<SignalDelivery>(signalDelivery)
const aDay = 86_400_000

const released = {
  payload: { environment: 'staging' },
  schema: {
    type: 'object',
    required: ['environment'],
    properties: {
      environment: { type: 'string' },
      notes: { type: 'array', items: { type: 'string' } },
    },
  },
}

describe.each(await serversOfTier())('signals on the %s server', (name) => {
  suite(servers[name])
})

function suite(start: StartServer): void {
  const client = agentsServer(start)

  async function setUp(spec?: object, settings?: Readonly<Record<string, string>>) {
    const harness = await startAgents(client(), undefined, settings)
    const { namespace } = harness
    if (spec) await harness.create(signals, 'released', { spec })
    const deliver = (name: string, more: object = {}) =>
      harness.create(deliveries, name, { spec: { signalRef: { name: 'released' }, ...more } })
    const delivery = (name: string) => client().get(deliveries, { namespace, name })
    const current = () => client().get(signals, { namespace, name: 'released' })
    return { ...harness, deliver, delivery, current }
  }

  test('a delivery before its Signal waits, and is accepted when the Signal exists', async () => {
    const { deliver, delivery, create, waitForCondition, current } = await setUp()
    await deliver('early', { deliveryId: 'one' })
    expect(await waitForCondition(deliveries, 'early', 'Accepted', 'SignalMissing')).toBe(
      'Signal released does not exist; create it',
    )
    await create(signals, 'released', { spec: released })
    await waitForCondition(deliveries, 'early', 'Succeeded', 'Succeeded')
    const { status } = await delivery('early')
    expect(status).toMatchObject({ phase: 'Succeeded', payload: { environment: 'staging' } })
    await until(async () => (await current()).status?.lastDeliveryAt !== undefined)
    expect((await current()).status).toMatchObject({
      phase: 'Active',
      lastDeliveryAt: status?.deliveredAt,
      history: [{ name: 'early', deliveryId: 'one', deliveredAt: status?.deliveredAt }],
    })
  })

  test('a delivery waits for a valid schema', async () => {
    const { deliver, waitForCondition, current } = await setUp({ schema: { type: 'text' } })
    expect(await waitForCondition(signals, 'released', 'Validated', 'InvalidSchema')).toContain(
      'spec.schema.type',
    )
    await deliver('patient', { payload: {} })
    await waitForCondition(deliveries, 'patient', 'Accepted', 'SignalNotReady')
    const body = { spec: { schema: { type: 'object' } } }
    await client().patch(signals, (await current()).metadata, { type: 'merge', body })
    await waitForCondition(deliveries, 'patient', 'Succeeded', 'Succeeded')
  })

  test('a payload that does not fit is rejected with its path, and its identifier is free', async () => {
    const { deliver, delivery, waitForCondition } = await setUp(released)
    await deliver('wrong', { deliveryId: 'one', payload: { environment: 'a', notes: ['b', 7] } })
    expect(await waitForCondition(deliveries, 'wrong', 'Succeeded', 'Rejected')).toBe(
      'spec.payload.notes[1] does not have the type that the schema requires',
    )
    expect((await delivery('wrong')).status).toMatchObject({ phase: 'Failed' })
    expect((await delivery('wrong')).status).not.toHaveProperty('deliveredAt')
    await deliver('right', { deliveryId: 'one', payload: { environment: 'a' } })
    await waitForCondition(deliveries, 'right', 'Succeeded', 'Succeeded')
    await deliver('again', { deliveryId: 'one', payload: { environment: 'a' } })
    expect(await waitForCondition(deliveries, 'again', 'Succeeded', 'Duplicate')).toContain(
      'SignalDelivery right has the identifier one too',
    )
  })

  test('what a sender can do beside its payload changes nothing', async () => {
    const { deliver, delivery, waitForCondition, namespace, current } = await setUp(released)
    await client().create(deliveries, {
      metadata: { name: 'forged', namespace },
      spec: { signalRef: { name: 'released' }, payload: { environment: 7 } },
      status: {
        phase: 'Succeeded',
        deliveredAt: '2020-01-01T00:00:00Z',
        conditions: [
          {
            type: 'Accepted',
            status: 'True',
            reason: 'Accepted',
            message: '',
            lastTransitionTime: '2020-01-01T00:00:00Z',
          },
        ],
      },
    } as never)
    await waitForCondition(deliveries, 'forged', 'Succeeded', 'Rejected')
    const payload = JSON.parse(
      '{"environment": "a", "__proto__": {"environment": 7}, "b": {"c": 1}}',
    )
    await deliver('odd', { payload })
    await waitForCondition(deliveries, 'odd', 'Succeeded', 'Succeeded')
    const stored = await delivery('odd')
    for (const body of [
      { spec: { payload: { b: { c: 2 } } } },
      { spec: { payload: { b: null } } },
      { spec: { payload: null } },
      { spec: { deliveryId: 'new' } },
      { spec: { signalRef: { name: 'other' } } },
    ]) {
      const change = client().patch(deliveries, stored.metadata, { type: 'merge', body })
      await expect(change, JSON.stringify(body)).rejects.toThrow(/cannot be changed/)
    }
    await deliver('huge', { payload: { environment: 'x'.repeat(20_000) } })
    expect(await waitForCondition(deliveries, 'huge', 'Succeeded', 'Rejected')).toContain('16 KiB')
    await deliver('long', { deliveryId: 'x'.repeat(257) })
    await waitForCondition(deliveries, 'long', 'Succeeded', 'Rejected')
    await until(async () => (await current()).status?.history?.length === 1)
    expect((await current()).status?.history).toMatchObject([{ name: 'odd' }])
  })

  test('integers that JavaScript cannot count keep their digits', async () => {
    const counted = { properties: { id: { type: 'integer' } }, type: 'object' }
    const payload = parseJson('{"id": 9007199254740993}')
    const { deliver, delivery, waitForCondition } = await setUp({ schema: counted, payload })
    await deliver('own', { payload })
    await deliver('inherited')
    for (const name of ['own', 'inherited']) {
      await waitForCondition(deliveries, name, 'Succeeded', 'Succeeded')
    }
    expect((await delivery('own')).spec.payload).toEqual(payload)
    expect((await delivery('inherited')).status?.payload).toEqual(payload)
  })

  test('1,000 deliveries at once are each handled once, and each event counts once', async () => {
    const { deliver, namespace, current } = await setUp(released)
    const versions = new Set<string>()
    const seen = async () => versions.add((await current()).metadata.resourceVersion ?? '')
    const started = performance.now()
    const watching = setInterval(() => void seen(), 20)
    await Promise.all(
      Array.from({ length: 20 }, async (_, lane) => {
        // Four deliveries of each event.
        for (let at = lane * 50; at < lane * 50 + 50; at += 1) {
          await deliver(`d${at}`, { deliveryId: `event-${at % 250}` })
        }
      }),
    )
    const all = async () => (await client().list(deliveries, { namespace })).items
    await until(async () => (await all()).every(({ status }) => status?.finishedAt !== undefined))
    const accepted = (await all()).filter(({ status }) => status?.phase === 'Succeeded')
    expect(new Set(accepted.map(({ spec }) => spec.deliveryId)).size).toBe(250)
    expect(accepted.length).toBe(250)
    const others = (await all()).filter(({ status }) => status?.phase === 'Failed')
    expect(others.length).toBe(750)
    const reasons = others.map(
      ({ status }) => status?.conditions?.find(({ type }) => type === 'Succeeded')?.reason,
    )
    expect(new Set(reasons)).toEqual(new Set(['Duplicate']))
    const latest = accepted
      .map(({ status }) => status?.deliveredAt ?? '')
      .toSorted()
      .at(-1)
    await until(async () => (await current()).status?.lastDeliveryAt === latest)
    clearInterval(watching)
    await seen()
    // It changes once a second, whatever is delivered: a slow machine only has more time for it.
    const seconds = (performance.now() - started) / 1000
    expect(versions.size).toBeLessThanOrEqual(Math.ceil(seconds) + 3)
    expect((await current()).status?.history).toHaveLength(10)
  })

  test('a finished delivery is deleted after seven days, and the history keeps it', async () => {
    const { deliver, waitForCondition, current, skip, touch, namespace } = await setUp(released)
    await deliver('old', { deliveryId: 'one' })
    await waitForCondition(deliveries, 'old', 'Succeeded', 'Succeeded')
    await until(async () => (await current()).status?.history?.length === 1)
    skip(6.9 * aDay)
    await touch(deliveries, 'old')
    expect((await client().list(deliveries, { namespace })).items).toHaveLength(1)
    skip(0.2 * aDay)
    // Not `touch`, which waits for a second reconcile: there is nothing to reconcile any more.
    const body = { metadata: { annotations: { touched: 'true' } } }
    await client().patch(deliveries, { namespace, name: 'old' }, { type: 'merge', body })
    await until(async () => (await client().list(deliveries, { namespace })).items.length === 0)
    await touch(signals, 'released')
    expect((await current()).status?.history).toMatchObject([{ name: 'old' }])
  })

  test('a delivery that is kept for a short time is in the history nevertheless', async () => {
    const setting = 'JANGAR_SUPPORTING_CONTROLLER_SIGNAL_DELIVERY_RETENTION_SECONDS'
    const { deliver, current, namespace } = await setUp(released, { [setting]: '1' })
    await deliver('brief')
    await deliver('refused', { payload: {} })
    await until(async () => (await client().list(deliveries, { namespace })).items.length === 0)
    // Only the accepted one.
    expect((await current()).status?.history).toMatchObject([{ name: 'brief' }])
  })

  test('a new Signal of the same name has no history', async () => {
    const { deliver, delivery, waitForCondition, current, create, touch, ready } =
      await setUp(released)
    await deliver('before')
    await waitForCondition(deliveries, 'before', 'Succeeded', 'Succeeded')
    await client().delete(signals, (await current()).metadata)
    // Timestamps have a resolution of a second.
    const { deliveredAt = '' } = (await delivery('before')).status ?? {}
    await until(() => Date.now() >= Date.parse(deliveredAt) + 1000)
    await create(signals, 'released', { spec: released })
    await ready(signals, 'released')
    await touch(signals, 'released')
    expect((await current()).status).not.toHaveProperty('history')
  })
}
