import { childName } from '@agents/controller'
import { describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { startAgents } from './agents-harness.ts'
import { agentsServer } from './agents-server.ts'
import { anHour, hourly, others, runs, schedules, startSchedule } from './schedule-harness.ts'

describe('a schedule', () => {
  const client = agentsServer()
  const setUp = (spec?: object) => startSchedule(client(), spec)

  test('starts a run at each of its times, and reports it', async () => {
    const { current, started, nextHour, ready, end } = await setUp()
    await ready(schedules, 'tick')
    expect(await started()).toEqual([])
    await nextHour()
    const [run] = await started()
    const { status } = await current()
    expect(run?.metadata).toMatchObject({
      name: expect.stringMatching(/^tick-\d+-[0-9a-f]{8}$/),
      labels: { purpose: 'test', 'schedules.proompteng.ai/schedule': 'tick' },
      annotations: {
        note: 'kept',
        'schedules.proompteng.ai/scheduled-at': status?.lastScheduleTime,
      },
      ownerReferences: [{ kind: 'Schedule', name: 'tick', controller: true }],
    })
    expect(run?.metadata.annotations).not.toHaveProperty('agents.proompteng.ai/requested-by')
    expect(run?.spec).toMatchObject(hourly.template.spec)
    expect(status).toMatchObject({
      phase: 'Active',
      active: 1,
      lastRunRef: { kind: 'AgentRun', name: run?.metadata.name, uid: run?.metadata.uid },
    })
    expect(Date.parse(status?.nextRunTime ?? '') - Date.parse(status?.lastScheduleTime ?? '')).toBe(
      anHour,
    )
    if (run !== undefined) await end(run, 'Succeeded')
    await until(async () => (await current()).status?.active === undefined)
  })

  test('skips a run while another is active, or cancels that, or starts both', async () => {
    const forbid = await setUp()
    await forbid.ready(schedules, 'tick')
    await forbid.nextHour()
    await forbid.nextHour()
    expect(await forbid.started()).toHaveLength(1)
    expect((await forbid.current()).status?.missedRuns).toBe(1)
    const replace = await setUp({ concurrencyPolicy: 'Replace' })
    await replace.ready(schedules, 'tick')
    await replace.nextHour()
    await replace.nextHour()
    expect((await replace.started()).map(({ spec }) => spec.cancel === true).toSorted()).toEqual([
      false,
      true,
    ])
    const allow = await setUp({ concurrencyPolicy: 'Allow' })
    await allow.ready(schedules, 'tick')
    await allow.nextHour()
    await allow.nextHour()
    expect(await allow.started()).toHaveLength(2)
    expect((await allow.current()).status?.active).toBe(2)
  })

  test('keeps as many finished runs as its limits allow', async () => {
    const { started, nextHour, ready, end, touch } = await setUp({
      concurrencyPolicy: 'Allow',
      successfulRunsHistoryLimit: 2,
      failedRunsHistoryLimit: 1,
    })
    await ready(schedules, 'tick')
    const phases = ['Succeeded', 'Failed', 'Succeeded', 'Failed', 'Succeeded'] as const
    for (const phase of phases) {
      const before = new Set((await started()).map(({ metadata }) => metadata.uid))
      await nextHour()
      const run = (await started()).find(({ metadata }) => !before.has(metadata.uid))
      if (run !== undefined) await end(run, phase)
    }
    await until(async () => {
      await touch(schedules, 'tick')
      const kept = (await started()).map(({ status }) => status?.phase)
      return kept.toSorted().join() === 'Failed,Succeeded,Succeeded'
    })
  })

  test('does nothing while it is suspended, and does not catch up with that time', async () => {
    const { started, nextHour, ready, current, skip, touch, waitForCondition } = await setUp()
    await ready(schedules, 'tick')
    const { metadata } = await current()
    const patch = (body: object) => client().patch(schedules, metadata, { type: 'merge', body })
    await patch({ spec: { suspend: true } })
    await waitForCondition(schedules, 'tick', 'Scheduled', 'Suspended')
    skip(365 * 24 * anHour)
    await touch(schedules, 'tick')
    expect((await current()).status).not.toHaveProperty('nextRunTime')
    await patch({ spec: { suspend: false } })
    await waitForCondition(schedules, 'tick', 'Scheduled', 'Scheduled')
    await touch(schedules, 'tick')
    expect(await started()).toEqual([])
    await nextHour()
    expect(await started()).toHaveLength(1)
    expect((await current()).status).not.toHaveProperty('missedRuns')
  })

  test('goes on, and starts no run twice, after a clock that was a day ahead', async () => {
    const { started, nextHour, ready, skip, touch } = await setUp({ concurrencyPolicy: 'Allow' })
    await ready(schedules, 'tick')
    const times = async () =>
      (await started()).map(
        ({ metadata }) => metadata.annotations?.['schedules.proompteng.ai/scheduled-at'] ?? '',
      )
    await nextHour()
    skip(24 * anHour)
    await touch(schedules, 'tick')
    await until(async () => (await times()).length === 2)
    skip(-24 * anHour)
    await touch(schedules, 'tick')
    for (let hours = 0; hours < 25; hours += 1) await nextHour()
    const all = await times()
    // The first hour, and those of the following 25, one of which was started when the clock was ahead.
    expect(new Set(all).size).toBe(26)
    expect(all.length).toBe(26)
  })

  test('starts a run once if two controllers lead', async () => {
    const first = await setUp({ concurrencyPolicy: 'Allow', cron: '* * * * *' })
    const second = await startAgents(client(), first.namespace)
    await first.ready(schedules, 'tick')
    for (let minute = 0; minute < 8; minute += 1) {
      for (const { skip } of [first, second]) skip(60_000)
      await Promise.all([first, second].map(({ touch }) => touch(schedules, 'tick')))
    }
    const times = (await first.started()).map(
      ({ metadata }) => metadata.annotations?.['schedules.proompteng.ai/scheduled-at'],
    )
    expect(times.length).toBeGreaterThanOrEqual(8)
    expect(new Set(times).size).toBe(times.length)
  })

  test.each([
    {
      belonging: 'that belongs to the schedule',
      isOwned: true,
      says: 'exists, and the schedule has not started it',
    },
    {
      belonging: 'of their own',
      isOwned: false,
      says: 'already exists and is controlled by nobody',
    },
  ])(
    'does not take over a run $belonging that users have created under its next name, and replaces nothing then',
    async ({ isOwned, says }) => {
      const { current, ready, skip, touch, namespace, nextHour, started, waitForCondition } =
        await setUp({ concurrencyPolicy: 'Replace' })
      await ready(schedules, 'tick')
      await nextHour()
      const [active] = await started()
      const { apiVersion, kind, metadata, status } = await current()
      const next = Date.parse(status?.nextRunTime ?? '')
      const name = childName('tick', String(next / 60_000))
      const { uid } = metadata
      const ownerReferences = isOwned
        ? [{ apiVersion, kind, name: 'tick', uid, controller: true }]
        : []
      const { spec } = hourly.template
      const forged = { metadata: { name, namespace, ownerReferences }, spec }
      await client().create(runs, forged as never)
      skip(anHour)
      await touch(schedules, 'tick')
      expect(await waitForCondition(schedules, 'tick', 'Scheduled', 'StartFailed')).toContain(
        `${name} ${says}`,
      )
      expect((await current()).status).toMatchObject({ lastRunRef: { uid: active?.metadata.uid } })
      for (const run of await started()) expect(run.spec).not.toHaveProperty('cancel', true)
    },
  )

  test('cancels nothing when its policy changes to Replace, until it starts a run', async () => {
    const { ready, nextHour, started, change } = await setUp({ concurrencyPolicy: 'Allow' })
    await ready(schedules, 'tick')
    await nextHour()
    await nextHour()
    await change({ concurrencyPolicy: 'Replace' })
    await ready(schedules, 'tick')
    const cancelled = async () => (await started()).map(({ spec }) => spec.cancel === true)
    expect(await cancelled()).toEqual([false, false])
    await nextHour()
    expect((await cancelled()).toSorted()).toEqual([false, true, true])
  })

  test('cancels what a process that has ended has replaced, although it is suspended', async () => {
    const { ready, nextHour, current, started, namespace, change, waitForCondition } = await setUp({
      concurrencyPolicy: 'Replace',
    })
    await ready(schedules, 'tick')
    await nextHour()
    const [first] = await started()
    const { apiVersion, kind, metadata } = await current()
    const { spec } = hourly.template
    const time = new Date(Date.now() + 2 * anHour).toISOString().replace(/\.\d+/, '')
    const later = {
      name: 'tick-later',
      namespace,
      annotations: { 'schedules.proompteng.ai/scheduled-at': time },
      ownerReferences: [{ apiVersion, kind, name: 'tick', uid: metadata.uid, controller: true }],
    }
    await change({ suspend: true })
    await waitForCondition(schedules, 'tick', 'Scheduled', 'Suspended')
    await client().create(runs, { metadata: later, spec } as never)
    const isCancelled = async () => {
      const run = (await started()).find((one) => one.metadata.uid === first?.metadata.uid)
      return run?.spec.cancel === true
    }
    await until(isCancelled)
    const { spec: kept } = await client().get(runs, { namespace, name: 'tick-later' })
    expect(kept).not.toHaveProperty('cancel', true)
  })

  test.each(['ToolRun', 'OrchestrationRun'] as const)(
    'starts a %s, and replaces it',
    async (kind) => {
      const { runs: kindOfRuns, spec } = others[kind]
      const { ready, nextHour, current, namespace } = await setUp({
        concurrencyPolicy: 'Replace',
        template: { kind, spec },
      })
      await ready(schedules, 'tick')
      await nextHour()
      const list = async () => (await client().list(kindOfRuns, { namespace })).items
      const [run] = await list()
      expect(run).toMatchObject({
        metadata: { ownerReferences: [{ kind: 'Schedule', name: 'tick', controller: true }] },
        spec,
      })
      expect((await current()).status).toMatchObject({
        lastRunRef: { kind, name: run?.metadata.name, uid: run?.metadata.uid },
        active: 1,
      })
      await nextHour()
      const found = await list()
      expect(found).toHaveLength(2)
      const first = found.find(({ metadata }) => metadata.uid === run?.metadata.uid)
      expect(first).toMatchObject({ spec: { cancel: true } })
    },
  )

  test('says why its run cannot be created', async () => {
    const { waitForCondition, started, current, skip, touch, ready } = await setUp({
      template: {
        ...hourly.template,
        spec: { implementation: { inline: { text: 'Greet' } }, runtime: { type: 'job' } },
      },
    })
    await ready(schedules, 'tick')
    skip(anHour)
    await touch(schedules, 'tick')
    expect(await waitForCondition(schedules, 'tick', 'Scheduled', 'StartFailed')).toContain(
      'spec.agentRef',
    )
    expect(await started()).toEqual([])
    expect((await current()).status).not.toHaveProperty('lastRunTime')
  })

  test.each([
    { because: 'InvalidCron', spec: { cron: 'soon' } },
    { because: 'UnknownTimezone', spec: { timezone: 'Europe/Wien' } },
    {
      because: 'UnsupportedTarget',
      spec: { template: undefined, targetRef: { kind: 'Job', name: 'model' } },
    },
    {
      because: 'ForeignNamespace',
      spec: {
        template: undefined,
        targetRef: { kind: 'AgentRun', name: 'model', namespace: 'other' },
      },
    },
  ])('with a wrong spec is not ready: $because', async ({ because, spec }) => {
    const { waitForCondition, current } = await setUp(spec)
    await waitForCondition(schedules, 'tick', 'Validated', because)
    expect((await current()).status).toMatchObject({ phase: 'Invalid' })
  })
})
