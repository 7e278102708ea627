import { createHash } from 'node:crypto'
import { ConfigMapKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, eventually, messageOf, patience, said, startBench } from './bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

describe('status', patience, () => {
  test('a succeeded run is Ready=True, and no longer reconciling', async () => {
    await bench.create('good', 'exit 0')
    const run = await bench.untilFinished('good')
    expect(said(run, 'Succeeded')).toBe('True/Succeeded')
    expect(said(run, 'Ready')).toBe('True/Succeeded')
    expect(said(run, 'Reconciling')).toBe('absent')
    expect(said(run, 'Accepted')).toBe('True/Accepted')
    expect(said(run, 'Admitted')).toBe('True/Admitted')
    expect(said(run, 'Started')).toBe('True/Started')
    expect(run.status).toMatchObject({ phase: 'Succeeded', exitCode: 0, attempts: 1 })
    expect(run.status?.startedAt).toBeDefined()
    expect(run.status?.finishedAt).toBeDefined()
    expect(run.status?.runtimeRef).toMatchObject({ type: 'job', name: 'good-job' })
  })

  test('a failed run tells the exit code and the last words of a bare command', async () => {
    await bench.create('bad', 'echo "the disk is full" > "$AGENTS_TERMINATION_LOG"; exit 3')
    const run = await bench.untilFinished('bad')
    expect(said(run, 'Succeeded')).toBe('False/JobFailed')
    expect(said(run, 'Finished')).toBe('True/JobFailed')
    expect(said(run, 'Stalled')).toBe('True/JobFailed')
    expect(messageOf(run, 'Succeeded')).toBe('exit code 3: the disk is full')
    expect(run.status).toMatchObject({ phase: 'Failed', exitCode: 3, attempts: 1 })
  })

  test('a run that is refused has finishedAt, so that it can be cleared away', async () => {
    await bench.create('refused', 'exit 0', { runtime: { type: 'temporal' } })
    const run = await bench.untilFinished('refused')
    expect(said(run, 'Accepted')).toBe('False/UnsupportedRuntime')
    expect(run.status?.finishedAt).toBeDefined()
    expect(run.status?.startedAt).toBeUndefined()
    expect(await bench.jobsOf('refused')).toEqual([])
  })

  test('instructions are told by their hash, unless a Secret holds them', async () => {
    const prompt = 'Be brief.\n'
    const hash = createHash('sha256').update(prompt).digest('hex')
    const metadata = { namespace: 'agents', name: 'instructions' }
    await bench.client.create(ConfigMapKind, { metadata, data: { prompt } })
    await bench.client.create(SecretKind, { metadata, stringData: { prompt } })
    const ref = (kind: 'ConfigMap' | 'Secret') => ({
      systemPromptRef: { kind, name: 'instructions', key: 'prompt' },
    })
    await bench.create('instructed', 'exit 0', { systemPrompt: prompt })
    await bench.create('instructed-by-map', 'exit 0', ref('ConfigMap'))
    await bench.create('instructed-by-secret', 'exit 0', ref('Secret'))
    const expected = {
      instructed: hash,
      'instructed-by-map': hash,
      'instructed-by-secret': undefined,
    }
    for (const [name, told] of Object.entries(expected)) {
      const { status } = await bench.untilFinished(name)
      expect([name, status?.phase, status?.systemPromptHash]).toEqual([name, 'Succeeded', told])
    }
  })

  test('a run that names a policy which nobody enforces never runs', async () => {
    await bench.create('unguarded', 'exit 0', { policy: { budgetRef: { name: 'monthly' } } })
    const run = await bench.untilFinished('unguarded')
    expect(said(run, 'Accepted')).toBe('False/UnsupportedPolicy')
    expect(await bench.jobsOf('unguarded')).toEqual([])
  })

  test('what a runner reports is in the status, large numbers unharmed', async () => {
    const report = {
      outcome: 'succeeded',
      reason: 'Succeeded',
      message: 'wrote a poem',
      exitCode: 0,
      usage: { inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 7, dollars: '0.25' },
      artifacts: [{ name: 'poem', path: 'poem.txt' }],
      vcs: {
        repository: 'team/poems',
        headBranch: 'poem-1',
        pushed: true,
        pullRequest: { number: 12, url: 'https://127.0.0.1/team/poems/pulls/12' },
      },
    }
    await bench.create('reporting', write(report))
    const run = await bench.untilFinished('reporting')
    expect(messageOf(run, 'Succeeded')).toBe('exit code 0: wrote a poem')
    const { exitCode, usage, artifacts, vcs } = run.status ?? {}
    expect({ exitCode, usage, artifacts }).toEqual({
      exitCode: 0,
      usage: report.usage,
      artifacts: report.artifacts,
    })
    expect(vcs).toMatchObject({
      repository: 'team/poems',
      headBranch: 'poem-1',
      pullRequest: report.vcs.pullRequest,
    })
  })

  test('usage adds up over attempts, beyond what a number can hold', async () => {
    const usage = { inputTokens: Number.MAX_SAFE_INTEGER, dollars: '0.5' }
    const report = {
      outcome: 'failed',
      reason: 'ProgramFailed',
      message: 'no',
      exitCode: 1,
      usage,
    }
    await bench.create('spender', `${write(report)}; exit 1`, {
      retries: 1,
      retryBackoffSeconds: 0,
    })
    const run = await bench.untilFinished('spender')
    expect(said(run, 'Succeeded')).toBe('False/RetriesExhausted')
    expect(run.status?.usage).toEqual({ inputTokens: 18_014_398_509_481_982n, dollars: '1' })
  })

  test('nothing is written about a run that has ended, nor after a restart; times stay as they are', async () => {
    await bench.create('settled', 'exit 0')
    const before = await bench.untilFinished('settled')
    await bench.restart()
    // Another run through the same queue: by then everything else has been looked at.
    await bench.create('after', 'exit 0')
    await bench.untilFinished('after')
    expect(await bench.get('settled')).toEqual(before)
  })

  test('a run costs few writes', async () => {
    await bench.create('frugal', 'exit 0')
    await bench.untilFinished('frugal')
    // Another run through the same queue: whatever else was to be written about the first has been by then.
    await bench.create('thrifty', 'exit 0')
    await bench.untilFinished('thrifty')
    const own = bench.writes.filter((write) => write.includes('frugal'))
    expect(own.filter((write) => write.startsWith('create'))).toEqual([
      'create configmaps frugal-spec',
      'create jobs frugal-job',
      ...own.filter((write) => write.startsWith('create events')),
    ])
    const patches = own.filter((write) => write.startsWith('patch'))
    expect(patches.filter((write) => write === 'patch agentruns frugal')).toHaveLength(1)
    const status = patches.filter((write) => write === 'patch agentruns/status frugal')
    expect(status.length).toBeLessThanOrEqual(3)
    expect(patches).toHaveLength(1 + status.length)
  })

  test('people are told of each turn by events', async () => {
    await bench.create('told', 'exit 4', { retries: 1, retryBackoffSeconds: 0 })
    await bench.untilFinished('told')
    const told = async () =>
      (await bench.eventsOf('told')).map(({ type, reason }) => `${type} ${reason}`)
    await eventually(
      async () => (await told()).includes('Warning RetriesExhausted'),
      'nobody was told of the end',
    )
    const reasons = await told()
    expect(reasons).toContain('Normal Submitting')
    expect(reasons).toContain('Warning AttemptFailed')
    expect(reasons).toContain('Warning RetriesExhausted')
  })
})

function write(report: object): string {
  return `printf %s '${JSON.stringify(report)}' > "$AGENTS_TERMINATION_LOG"`
}
