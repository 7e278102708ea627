import { createHash } from 'node:crypto'
import { ConfigMapKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  startHarness,
} from './run-harness.ts'

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness()
})
afterAll(() => harness.stop())

describe('status', pollOptions, () => {
  test('a succeeded run is Ready=True, and no longer reconciling', async () => {
    await harness.create('good', 'exit 0')
    const run = await harness.untilFinished('good')
    expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
    expect(conditionText(run, 'Ready')).toBe('True/Succeeded')
    expect(conditionText(run, 'Reconciling')).toBe('absent')
    expect(conditionText(run, 'Accepted')).toBe('True/Accepted')
    expect(conditionText(run, 'Admitted')).toBe('True/Admitted')
    expect(conditionText(run, 'Started')).toBe('True/Started')
    expect(run.status).toMatchObject({ phase: 'Succeeded', exitCode: 0, attempts: 1 })
    expect(run.status?.startedAt).toBeDefined()
    expect(run.status?.finishedAt).toBeDefined()
    expect(run.status?.runtimeRef).toMatchObject({ type: 'job', name: 'good-job' })
  })

  test('a failed run reports the exit code and the termination message of a plain command', async () => {
    await harness.create('bad', 'echo "the disk is full" > "$AGENTS_TERMINATION_LOG"; exit 3')
    const run = await harness.untilFinished('bad')
    expect(conditionText(run, 'Succeeded')).toBe('False/JobFailed')
    expect(conditionText(run, 'Finished')).toBe('True/JobFailed')
    expect(conditionText(run, 'Stalled')).toBe('True/JobFailed')
    expect(messageOf(run, 'Succeeded')).toBe('exit code 3: the disk is full')
    expect(run.status).toMatchObject({ phase: 'Failed', exitCode: 3, attempts: 1 })
  })

  test('a rejected run has finishedAt, so that it can be cleaned up', async () => {
    await harness.create('refused', 'exit 0', { runtime: { type: 'temporal' } })
    const run = await harness.untilFinished('refused')
    expect(conditionText(run, 'Accepted')).toBe('False/UnsupportedRuntime')
    expect(run.status?.finishedAt).toBeDefined()
    expect(run.status?.startedAt).toBeUndefined()
    expect(await harness.jobsOf('refused')).toEqual([])
  })

  test('instructions are reported as a hash, unless they come from a Secret', async () => {
    const prompt = 'Be brief.\n'
    const hash = createHash('sha256').update(prompt).digest('hex')
    const metadata = { namespace: 'agents', name: 'instructions' }
    await harness.client.create(ConfigMapKind, { metadata, data: { prompt } })
    await harness.client.create(SecretKind, { metadata, stringData: { prompt } })
    const ref = (kind: 'ConfigMap' | 'Secret') => ({
      systemPromptRef: { kind, name: 'instructions', key: 'prompt' },
    })
    await harness.create('instructed', 'exit 0', { systemPrompt: prompt })
    await harness.create('instructed-by-map', 'exit 0', ref('ConfigMap'))
    await harness.create('instructed-by-secret', 'exit 0', ref('Secret'))
    const expected = {
      instructed: hash,
      'instructed-by-map': hash,
      'instructed-by-secret': undefined,
    }
    for (const [name, told] of Object.entries(expected)) {
      const { status } = await harness.untilFinished(name)
      expect([name, status?.phase, status?.systemPromptHash]).toEqual([name, 'Succeeded', told])
    }
  })

  test('the report of a runner is in the status, with large numbers intact', async () => {
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
    await harness.create('reporting', write(report))
    const run = await harness.untilFinished('reporting')
    expect(messageOf(run, 'Succeeded')).toBe('exit code 0: wrote a poem')
    const { exitCode, usage, artifacts, vcs } = run.status ?? {}
    expect({ exitCode, usage, artifacts }).toEqual({
      exitCode: 0,
      usage: report.usage,
      artifacts: report.artifacts,
    })
    // What a program reports about a repository is not trusted: only the publisher knows what was pushed.
    expect(vcs).toBeUndefined()
  })

  test('usage is summed over attempts, beyond the range of a number', async () => {
    const usage = { inputTokens: Number.MAX_SAFE_INTEGER, dollars: '0.5' }
    const report = {
      outcome: 'failed',
      reason: 'ProgramFailed',
      message: 'no',
      exitCode: 1,
      usage,
    }
    await harness.create('spender', `${write(report)}; exit 1`, {
      retries: 1,
      retryBackoffSeconds: 0,
    })
    const run = await harness.untilFinished('spender')
    expect(conditionText(run, 'Succeeded')).toBe('False/RetriesExhausted')
    expect(run.status?.usage).toEqual({ inputTokens: 18_014_398_509_481_982n, dollars: '1' })
  })

  test('nothing is written about a finished run, not even after a restart, and its timestamps stay', async () => {
    await harness.create('settled', 'exit 0')
    const before = await harness.untilFinished('settled')
    await harness.restart()
    // When another run has passed through the same queue, everything else has been reconciled.
    await harness.create('after', 'exit 0')
    await harness.untilFinished('after')
    expect(await harness.get('settled')).toEqual(before)
  })

  test('a run costs few writes', async () => {
    await harness.create('frugal', 'exit 0')
    await harness.untilFinished('frugal')
    // When another run has passed through the same queue, all writes for the first one are done.
    await harness.create('thrifty', 'exit 0')
    await harness.untilFinished('thrifty')
    const own = harness.writes.filter((write) => write.includes('frugal'))
    expect(own.filter((write) => !write.includes('agentruns'))).toEqual(['create jobs frugal-job'])
    // No admission policy adds the finalizer here.
    expect(own.filter((write) => write === 'patch agentruns frugal')).toHaveLength(1)
    const status = own.filter((write) => write === 'update agentruns/status frugal')
    expect(status.length).toBeGreaterThan(0)
    expect(status.length).toBeLessThanOrEqual(2)
    expect(own).toHaveLength(2 + status.length)
  })

  test('failures are recorded as events; the rest is in the status', async () => {
    await harness.create('unlucky', 'exit 4', { retries: 1, retryBackoffSeconds: 0 })
    await harness.untilFinished('unlucky')
    const recorded = async () =>
      (await harness.eventsOf('unlucky')).map(({ type, reason }) => `${type} ${reason}`)
    await until(
      async () => (await recorded()).includes('Warning RetriesExhausted'),
      'the end was not recorded',
    )
    expect((await recorded()).toSorted()).toEqual([
      'Warning AttemptFailed',
      'Warning RetriesExhausted',
    ])
  })
})

function write(report: object): string {
  return `printf %s '${JSON.stringify(report)}' > "$AGENTS_TERMINATION_LOG"`
}
