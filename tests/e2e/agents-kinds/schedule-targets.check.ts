import { describe, expect, test } from 'vitest'
import { agentsServer } from './agents-server.ts'
import { anHour, hourly, others, runs, schedules, startSchedule } from './schedule-harness.ts'

describe('a schedule that copies a run', () => {
  const client = agentsServer()
  const setUp = (spec: object) => startSchedule(client(), spec)

  const copying = {
    template: undefined,
    ...{ targetRef: { kind: 'AgentRun', name: 'model' }, concurrencyPolicy: 'Allow' },
  }
  const { spec } = hourly.template

  test('does not copy a run that was created again, until its spec changes', async () => {
    const { create, ready, nextHour, started, current, waitForCondition, change, remove } =
      await setUp(copying)
    const missing = () => waitForCondition(schedules, 'tick', 'TargetResolved', 'TargetMissing')
    await missing()
    await create(runs, 'model', { spec })
    await ready(schedules, 'tick')
    await nextHour()
    await remove('model')
    const text = 'Of somebody else'
    await missing()
    await create(runs, 'model', { spec: { ...spec, implementation: { inline: { text } } } })
    expect(await waitForCondition(schedules, 'tick', 'TargetResolved', 'TargetReplaced')).toContain(
      'AgentRun model was deleted and created again',
    )
    await change({ jitterSeconds: 1 })
    await ready(schedules, 'tick')
    await nextHour()
    const copies = (await started()).filter(({ metadata }) => metadata.name !== 'model')
    const texts = copies.map((copy) => copy.spec.implementation?.inline.text)
    expect(texts.toSorted()).toEqual(['Greet', text])
    const last = copies.find((copy) => copy.spec.implementation?.inline.text === text)
    expect((await current()).status?.lastRunRef?.uid).toBe(last?.metadata.uid)
  })

  test('copies another run once its spec names that, also if that is created later', async () => {
    const { create, ready, waitForCondition, change, remove } = await setUp(copying)
    const missing = () => waitForCondition(schedules, 'tick', 'TargetResolved', 'TargetMissing')
    await create(runs, 'model', { spec })
    await ready(schedules, 'tick')
    await change({ targetRef: { name: 'other' } })
    await missing()
    await create(runs, 'other', { spec })
    await ready(schedules, 'tick')
    await remove('other')
    await missing()
    await change({ jitterSeconds: 1 })
    await missing()
    await create(runs, 'other', { spec })
    await ready(schedules, 'tick')
  })

  test('does not catch up with its suspension if its run is created after it', async () => {
    const { create, ready, nextHour, current, started, skip, touch, waitForCondition, ...of } =
      await setUp(copying)
    await create(runs, 'model', { spec })
    await ready(schedules, 'tick')
    await nextHour()
    const { lastScheduleTime } = (await current()).status ?? {}
    await of.change({ suspend: true })
    await waitForCondition(schedules, 'tick', 'Scheduled', 'Suspended')
    await of.remove('model')
    skip(anHour)
    await touch(schedules, 'tick')
    await of.change({ suspend: false })
    await waitForCondition(schedules, 'tick', 'TargetResolved', 'TargetMissing')
    await create(runs, 'model', { spec })
    await ready(schedules, 'tick')
    expect((await current()).status?.lastScheduleTime).toBe(lastScheduleTime)
    expect(await started()).toHaveLength(2)
    await nextHour()
    expect(await started()).toHaveLength(3)
  })

  test('copies an existing run without its cancellation and key, and waits for it', async () => {
    const { waitForCondition, create, nextHour, started, ready } = await setUp({
      template: undefined,
      targetRef: { kind: 'AgentRun', name: 'model' },
    })
    expect(await waitForCondition(schedules, 'tick', 'TargetResolved', 'TargetMissing')).toContain(
      'AgentRun model does not exist',
    )
    const { spec } = hourly.template
    await create(runs, 'model', { spec: { ...spec, cancel: true, idempotencyKey: 'once' } })
    await ready(schedules, 'tick')
    await nextHour()
    const copy = (await started()).find(({ metadata }) => metadata.name !== 'model')
    expect(copy?.spec).toMatchObject(spec)
    expect(copy?.spec).not.toHaveProperty('cancel', true)
    expect(copy?.spec).not.toHaveProperty('idempotencyKey')
  })

  test.each(['ToolRun', 'OrchestrationRun'] as const)(
    'copies a %s without what is its own',
    async (kind) => {
      const { runs: kindOfRuns, spec, own } = others[kind]
      const { create, ready, nextHour, waitForCondition, namespace } = await setUp({
        template: undefined,
        targetRef: { kind, name: 'model' },
      })
      expect(
        await waitForCondition(schedules, 'tick', 'TargetResolved', 'TargetMissing'),
      ).toContain(`${kind} model does not exist`)
      await create(kindOfRuns, 'model', { spec: { ...spec, ...own, cancel: true } })
      await ready(schedules, 'tick')
      await nextHour()
      const { items } = await client().list(kindOfRuns, { namespace })
      const copy = items.find(({ metadata }) => metadata.name !== 'model') as unknown as {
        readonly spec: object
      }
      expect(copy.spec).toMatchObject(spec)
      for (const name of Object.keys(own)) expect(copy.spec).not.toHaveProperty(name)
      expect(copy.spec).not.toHaveProperty('cancel', true)
    },
  )
})
