import { type Signal, type SignalDelivery, signal, signalDelivery } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { type StartServer, servers } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'
import { agentsServer } from './agents-server.ts'
import { orchestrationRuns, startOrchestrations } from './orchestration-harness.ts'

const signals = kindRef<Signal>(signal)
const deliveries = kindRef<SignalDelivery>(signalDelivery)

describe.each(await serversOfTier())('waits for signals on the %s server', (name) => {
  suite(servers[name])
})

function suite(start: StartServer): void {
  const client = agentsServer(start)
  const setUp = (spec: object) => startOrchestrations(client(), spec)

  test('a wait ends with a delivery that comes after it began, and matches', async () => {
    const { create, run, current, finished, waitForCondition } = await setUp({
      steps: [
        {
          name: 'wait',
          kind: 'SignalWait',
          signalRef: 'pushed',
          match: 'payload.ref == parameters.ref',
        },
      ],
      outputs: { by: '{{ steps.wait.outputs.by }}' },
    })
    const deliver = async (name: string, payload: object) => {
      await create(deliveries, name, { spec: { signalRef: { name: 'pushed' }, payload } })
      await waitForCondition(deliveries, name, 'Accepted', 'Accepted')
    }
    await deliver('before', { ref: 'main', by: 'stale' })
    await run({ parameters: { ref: 'main' } })
    await waitForCondition(orchestrationRuns, 'run', 'Finished', 'WaitingForSignal')
    await deliver('other', { ref: 'side', by: 'other' })
    await deliver('meant', { ref: 'main', by: 'meant' })
    await finished('Succeeded')
    expect((await current()).status?.outputs).toEqual({ by: 'meant' })
  })

  test('a wait for one delivery by its identifier ends with it, whichever Signal it is of', async () => {
    const { create, run, finished, waitForCondition } = await setUp({
      steps: [{ name: 'wait', kind: 'SignalWait', deliveryId: '{{ parameters.id }}' }],
      outputs: { by: '{{ steps.wait.outputs.by }}' },
    })
    const deliver = (name: string, deliveryId: string) =>
      create(deliveries, name, {
        spec: { signalRef: { name: 'pushed' }, deliveryId, payload: { by: name } },
      })
    await run({ parameters: { id: 'release-7' } })
    await waitForCondition(orchestrationRuns, 'run', 'Finished', 'WaitingForSignal')
    await deliver('other', 'release-6')
    await waitForCondition(deliveries, 'other', 'Accepted', 'Accepted')
    await deliver('meant', 'release-7')
    expect((await finished('Succeeded'))?.outputs).toEqual({ by: 'meant' })
    await run({ parameters: { id: 'release-6' } }, 'late')
    expect((await finished('Succeeded', 'late'))?.outputs).toEqual({ by: 'other' })
  })

  test('a Signal shows who waits for it, and for how long', async () => {
    const { create, run, finished, waitForCondition, namespace } = await setUp({
      steps: [{ name: 'wait', kind: 'SignalWait', signalRef: 'pushed' }],
    })
    const shown = async () => (await client().get(signals, { namespace, name: 'pushed' })).status
    const names = Array.from({ length: 12 }, (_, at) => `run-${String(at).padStart(2, '0')}`)
    for (const name of names) await run({}, name)
    for (const name of names) {
      await waitForCondition(orchestrationRuns, name, 'Finished', 'WaitingForSignal')
    }
    await until(async () => (await shown())?.waitingCount === 12)
    const { waiting = [] } = (await shown()) ?? {}
    expect(waiting).toHaveLength(10)
    const found = await client().get(orchestrationRuns, { namespace, name: waiting[0]?.run ?? '' })
    expect(waiting[0]).toEqual({
      run: found.metadata.name,
      step: 'wait',
      since: found.status?.stepStatuses?.[0]?.startedAt,
    })
    await create(deliveries, 'now', {
      spec: { signalRef: { name: 'pushed' } },
    })
    for (const name of names) await finished('Succeeded', name)
    await until(async () => (await shown())?.waitingCount === undefined)
    expect(await shown()).not.toHaveProperty('waiting')
  })

  test('a thousand deliveries at once wake exactly the runs that wait for one of them', async () => {
    const { create, run, finished, waitForCondition, current, namespace } = await setUp({
      steps: [
        {
          name: 'wait',
          kind: 'SignalWait',
          signalRef: 'pushed',
          match: 'payload.number == int(parameters.number)',
        },
      ],
      outputs: { by: '{{ steps.wait.outputs.by }}' },
    })
    const waiting = [0, 1, 499, 500, 998, 999]
    const patient = [-1, 1000]
    for (const number of [...waiting, ...patient]) {
      await run({ parameters: { number: `${number}` } }, `run-${number + 1}`)
    }
    for (const number of [...waiting, ...patient]) {
      const name = `run-${number + 1}`
      await waitForCondition(orchestrationRuns, name, 'Finished', 'WaitingForSignal')
    }
    const numbers = Array.from({ length: 1000 }, (_, number) => number).values()
    const deliver = async () => {
      for (const number of numbers) {
        const payload = { number, by: `d-${number}` }
        const spec = { signalRef: { name: 'pushed' }, payload }
        await create(deliveries, `d-${number}`, { spec })
      }
    }
    await Promise.all(Array.from({ length: 32 }, deliver))
    for (const number of waiting) {
      const status = await finished('Succeeded', `run-${number + 1}`)
      expect(status?.outputs).toEqual({ by: `d-${number}` })
    }
    await until(async () => {
      const { items } = await client().list(deliveries, { namespace })
      return items.filter(({ status }) => status?.deliveredAt !== undefined).length === 1000
    })
    for (const number of patient) {
      expect((await current(`run-${number + 1}`)).status?.finishedAt).toBeUndefined()
    }
  })
}
