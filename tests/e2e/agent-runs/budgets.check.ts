import {
  type AgentRun,
  type Budget,
  budget,
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
  type Tool,
  type ToolRun,
  tool,
  toolRun,
} from '@agents/jangar-api'
import { type Condition, EventKind, type KindRef, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  runKind,
  startHarness,
} from './run-harness.ts'

const namespace = 'agents'
const budgets = kindRef<Budget>(budget)
const orchestrationRuns = kindRef<OrchestrationRun>(orchestrationRun)

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness({
    environment: {
      JANGAR_BUDGET_PRICES: JSON.stringify({
        'gpt-*': { input: 2, output: 10, cachedInput: 0.5 },
        '*': { input: 100, output: 100 },
      }),
    },
  })
})
afterAll(() => harness.stop())

const patience = { timeoutMs: 200_000 }

/** Each test has an agent of its own, whose runs its Budget counts. */
async function limit(name: string, spec: object): Promise<void> {
  await harness.createAgent(name)
  await createBudget(name, { scope: { agentRef: { name } }, ...spec })
}

function createBudget(name: string, spec: object): Promise<unknown> {
  return harness.client.create(budgets, { metadata: { name, namespace }, spec } as never)
}

function create(kind: KindRef, name: string, spec: object): Promise<unknown> {
  return harness.client.create(kind, { metadata: { name, namespace }, spec } as never)
}

function get(name: string): Promise<Budget> {
  return harness.client.get(budgets, { namespace, name })
}

async function untilBudget(
  name: string,
  holds: (status: NonNullable<Budget['status']>) => boolean,
) {
  let found: Budget | undefined
  await until(
    async () => {
      found = await get(name)
      return found.status !== undefined && holds(found.status)
    },
    `Budget ${name} never got there: ${JSON.stringify(found?.status)}`,
  )
  return found?.status
}

/** A program that reports what it used. */
function using(usage: object): string {
  const report = { outcome: 'succeeded', reason: 'Succeeded', message: 'done', exitCode: 0, usage }
  return `printf %s '${JSON.stringify(report)}' > "$AGENTS_TERMINATION_LOG"`
}

function waitsFor(reason: string) {
  return (run: Parameters<typeof conditionText>[0]) =>
    conditionText(run, 'Admitted') === `False/${reason}`
}

describe('a Budget', pollOptions, () => {
  test('counts tokens, and dollars by its table of prices', async () => {
    await limit('priced', { limits: { tokens: '10000', dollars: '1' } })
    const usage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 200, dollars: '99' }
    await harness.create('priced', using(usage), {
      agentRef: { name: 'priced' },
      parameters: { script: using(usage), model: 'gpt-5' },
    })
    await harness.untilFinished('priced')
    const status = await untilBudget('priced', ({ used }) => used?.tokens === '1200')
    // 600 × 2 + 400 × 0.5 + 200 × 10 millionths.
    expect(status?.used).toEqual({ tokens: '1200', dollars: '0.0034' })
    expect(status).toMatchObject({ phase: 'Active', source: 'the runs that the cluster holds' })
  })

  test('lets runs wait when it is used up, until the end of the window or a higher limit', async () => {
    await limit('used-up', { limits: { tokens: '100' }, window: 'day', onExceeded: 'Block' })
    const ofAgent = { agentRef: { name: 'used-up' } }
    await harness.create('spender', using({ totalTokens: 150 }), ofAgent)
    await harness.untilFinished('spender')
    const status = await untilBudget('used-up', ({ phase }) => phase === 'Exceeded')
    await harness.create('late', 'exit 0', ofAgent)
    const late = await harness.until('late', waitsFor('BudgetExhausted'))
    expect(messageOf(late, 'Admitted')).toBe('Budget used-up: the limit of 100 tokens is used up')
    expect(late.status?.queue?.eligibleAt).toBe(status?.windowEndsAt)
    expect(late.status?.phase).toBe('Pending')
    const raise = { type: 'merge', body: { spec: { limits: { tokens: '1000' } } } } as const
    await harness.client.patch(budgets, { namespace, name: 'used-up' }, raise)
    expect((await harness.untilFinished('late')).status?.phase).toBe('Succeeded')
  })

  test('stops what runs when its limit is passed, within two seconds', async () => {
    await limit('stopping', { limits: { tokens: '100' } })
    const ofAgent = { agentRef: { name: 'stopping' } }
    await harness.create('victim', 'sleep 600', ofAgent)
    await harness.until('victim', (run) => conditionText(run, 'Started') === 'True/Started')
    await harness.create('spends', using({ totalTokens: 101 }), ofAgent)
    const spends = await harness.untilFinished('spends')
    expect(spends.status?.phase).toBe('Succeeded')
    const victim = await harness.untilFinished('victim')
    expect(conditionText(victim, 'Finished')).toBe('True/BudgetExceeded')
    expect(messageOf(victim, 'Succeeded')).toBe(
      'stopped because the limit of Budget stopping is passed',
    )
    expect(await harness.jobsOf('victim')).toEqual([])
  })

  test('stops an attempt that passes its limit, before its end', async () => {
    await limit('early', { limits: { tokens: '100' } })
    await harness.create('early', 'sleep 600', { agentRef: { name: 'early' } })
    const run = await harness.until(
      'early',
      (one) => conditionText(one, 'Started') === 'True/Started',
    )
    // As the control plane writes it.
    const progress = { job: 'early', inputTokens: 90, outputTokens: 20, turns: 3 }
    const status = { ...run.status, progress }
    await harness.client.update(runKind, { ...run, status } as AgentRun, { subresource: 'status' })
    const stopped = await harness.untilFinished('early')
    expect(conditionText(stopped, 'Finished')).toBe('True/BudgetExceeded')
    expect(stopped.status?.usage).toEqual({ inputTokens: 90, outputTokens: 20, turns: 3 })
    expect(stopped.status?.progress).toBeUndefined()
    await untilBudget('early', ({ used }) => used?.tokens === '110')
  })

  test('lets what runs go on with onExceeded Block, and starts nothing more', async () => {
    await limit('blocking', { limits: { tokens: '100' }, onExceeded: 'Block' })
    const ofAgent = { agentRef: { name: 'blocking' } }
    await harness.create('at-work', 'sleep 600', ofAgent)
    await harness.until('at-work', (run) => conditionText(run, 'Started') === 'True/Started')
    await harness.create('uses', using({ totalTokens: 101 }), ofAgent)
    await harness.untilFinished('uses')
    await untilBudget('blocking', ({ phase }) => phase === 'Exceeded')
    await harness.create('held', 'exit 0', ofAgent)
    await harness.until('held', waitsFor('BudgetExhausted'))
    // What another Budget stops meanwhile, which it was told of later.
    await limit('stops', { limits: { tokens: '100' } })
    const ofOther = { agentRef: { name: 'stops' } }
    await harness.create('stopped', 'sleep 600', ofOther)
    await harness.until('stopped', (run) => conditionText(run, 'Started') === 'True/Started')
    await harness.create('uses-more', using({ totalTokens: 101 }), ofOther)
    const stopped = await harness.untilFinished('stopped')
    expect(conditionText(stopped, 'Finished')).toBe('True/BudgetExceeded')
    const atWork = await harness.client.get(runKind, { namespace, name: 'at-work' })
    expect(conditionText(atWork, 'Finished')).not.toMatch(/^True/)
    expect(await harness.jobsOf('at-work')).toHaveLength(1)
    expect(await harness.jobsOf('held')).toEqual([])
  })

  test('leaves what runs alone with onExceeded Warn', async () => {
    await limit('warning', { limits: { tokens: '100' }, onExceeded: 'Warn' })
    const ofAgent = { agentRef: { name: 'warning' } }
    await harness.create('warned', using({ totalTokens: 101 }), ofAgent)
    await harness.untilFinished('warned')
    await untilBudget('warning', ({ phase }) => phase === 'Exceeded')
    await harness.create('goes-on', 'exit 0', ofAgent)
    expect((await harness.untilFinished('goes-on')).status?.phase).toBe('Succeeded')
  })

  test('stops the whole tree above its runs', async () => {
    await limit('tree', { limits: { tokens: '100' } })
    await harness.createAgent('bystander')
    const leafStep = {
      kind: 'AgentRun',
      agentRef: { name: 'tree' },
      implementation: { inline: { text: 'Wait.' } },
      runtime: { type: 'job' },
      with: { script: 'sleep 600' },
    }
    await create(kindRef<Orchestration>(orchestration), 'inner', {
      steps: [
        { name: 'leaf', ...leafStep },
        { name: 'other', ...leafStep, agentRef: { name: 'bystander' } },
      ],
    })
    await create(kindRef<Orchestration>(orchestration), 'outer', {
      steps: [{ name: 'below', kind: 'SubOrchestration', orchestrationRef: { name: 'inner' } }],
    })
    await create(orchestrationRuns, 'top', { orchestrationRef: { name: 'outer' } })
    await untilBudget('tree', ({ activeRuns }) => activeRuns === 1)
    const { items } = await harness.client.list(runKind, { namespace })
    const [leaf] = items.filter(({ spec }) => spec.agentRef.name === 'tree')
    if (leaf === undefined) throw new Error('no leaf')
    await harness.until(
      leaf.metadata.name,
      (run) => conditionText(run, 'Started') === 'True/Started',
    )
    const run = await harness.get(leaf.metadata.name)
    const status = { ...run.status, progress: { job: 'x', totalTokens: 101 } }
    await harness.client.update(runKind, { ...run, status } as AgentRun, { subresource: 'status' })
    const ends = async (): Promise<string[]> => {
      const tree = [
        ...(await harness.client.list(orchestrationRuns, { namespace })).items,
        ...(await harness.client.list(runKind, { namespace })).items,
      ].filter(({ metadata }) => metadata.name.startsWith('top'))
      return tree.map(({ status: each }) => {
        const conditions = each?.conditions as Condition[] | undefined
        const end = conditions?.find(({ type }) => type === 'Finished')
        return `${end?.status}/${end?.reason}`
      })
    }
    const isOver = async () => (await ends()).every((end) => end.startsWith('True/'))
    await until(isOver, 'the tree is still there', patience)
    expect(await ends()).toEqual(Array.from({ length: 4 }, () => 'True/BudgetExceeded'))
    const { items: events } = await harness.client.list(EventKind, { namespace })
    const ofEvents = events
      .filter(({ involvedObject }) => involvedObject.name === 'top')
      .map(({ reason }) => reason)
    expect(ofEvents).toContain('BudgetExceeded')
  })

  test('limits what active runs request', async () => {
    await limit('quota', { limits: { cpu: '1', memory: '1Gi' } })
    const workload = { resources: { requests: { cpu: '600m' }, limits: { memory: '100Mi' } } }
    const ofAgent = { agentRef: { name: 'quota' }, workload }
    await harness.create('first', 'sleep 600', ofAgent)
    await untilBudget('quota', ({ used }) => used?.cpu === '600m' && used.memory === '100Mi')
    await harness.create('second', 'exit 0', ofAgent)
    const second = await harness.until('second', waitsFor('BudgetExhausted'))
    expect(messageOf(second, 'Admitted')).toBe(
      'Budget quota: the limit of 1 CPUs is requested by active runs; the run needs 600m CPUs',
    )
    await harness.patch('first', { cancel: true })
    expect((await harness.untilFinished('second')).status?.phase).toBe('Succeeded')
    await untilBudget('quota', ({ activeRuns, used }) => activeRuns === 0 && used?.cpu === '0')
  })

  test('limits what Tools request', async () => {
    await createBudget('tools', {
      limits: { cpu: '100m' },
      scope: { labelSelector: { matchLabels: { cost: 'tools' } } },
    })
    await create(kindRef<Tool>(tool), 'large', {
      image: 'local',
      command: ['/bin/true'],
      resources: { requests: { cpu: '2' } },
    })
    const runs = kindRef<ToolRun>(toolRun)
    const spec = { toolRef: { name: 'large' } }
    const labels = { cost: 'tools' }
    await harness.client.create(runs, { metadata: { name: 'large', namespace, labels }, spec })
    await until(
      async () => {
        const { status } = await harness.client.get(runs, { namespace, name: 'large' })
        const conditions = status?.conditions as Condition[] | undefined
        return conditions?.some(
          ({ type, reason }) => type === 'Admitted' && reason === 'BudgetExhausted',
        )
      },
      'the ToolRun does not wait',
      patience,
    )
  })

  test('that a run names counts too, and lets it wait until it exists', async () => {
    await harness.create('names', 'exit 0', { policy: { budgetRef: { name: 'named' } } })
    const waiting = await harness.until('names', waitsFor('BudgetUnavailable'))
    expect(messageOf(waiting, 'Admitted')).toMatch(/^Budget named, which the run refers to, does/)
    await createBudget('named', {
      limits: { tokens: '1' },
      scope: { agentRef: { name: 'somebody' } },
    })
    expect((await harness.untilFinished('names')).status?.phase).toBe('Succeeded')
  })

  test('that is invalid says why, and lets nothing of its scope start', async () => {
    await limit('invalid', { limits: { tokens: 'lots' } })
    await harness.create('unlucky', 'exit 0', { agentRef: { name: 'invalid' } })
    const run = await harness.until('unlucky', waitsFor('BudgetUnavailable'))
    expect(messageOf(run, 'Admitted')).toMatch(/spec\.limits\.tokens: "lots" is not a whole number/)
    const status = await untilBudget('invalid', ({ phase }) => phase === 'Invalid')
    const ready = (status?.conditions as Condition[] | undefined)?.find(
      ({ type }) => type === 'Ready',
    )
    expect(ready).toMatchObject({ status: 'False', reason: 'InvalidLimit' })
    const correct = { type: 'merge', body: { spec: { limits: { tokens: '10' } } } } as const
    await harness.client.patch(budgets, { namespace, name: 'invalid' }, correct)
    expect((await harness.untilFinished('unlucky')).status?.phase).toBe('Succeeded')
  })

  test('reports its alerts as events, each once', async () => {
    await limit('alerting', { limits: { tokens: '100' }, onExceeded: 'Block' })
    for (const name of ['alert-1', 'alert-2', 'alert-3']) {
      const script = using({ totalTokens: 28 })
      await harness.create(name, script, { agentRef: { name: 'alerting' } })
      await harness.untilFinished(name)
      await untilBudget('alerting', ({ used }) => used?.tokens === `${28 * Number(name.at(-1))}`)
    }
    const status = await untilBudget('alerting', ({ alert }) => alert === 80)
    const within = (status?.conditions as Condition[] | undefined)?.find(
      ({ type }) => type === 'WithinLimits',
    )
    expect(within).toMatchObject({ status: 'True', reason: 'NearLimit' })
    await until(
      async () => (await alertsOf('alerting')).length === 2,
      'the events are not there',
      patience,
    )
    expect(await alertsOf('alerting')).toEqual([
      '50 % of a limit is reached: 56 % used: 56 of 100 tokens',
      '80 % of a limit is reached: 84 % used: 84 of 100 tokens',
    ])
  })
})

async function alertsOf(name: string): Promise<string[]> {
  const events = await harness.eventsOf(name)
  return events.flatMap(({ reason, message }) =>
    reason === 'NearLimit' && message !== undefined && /reached/.test(message) ? [message] : [],
  )
}
