import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, messageOf, patience, type RunSpec, said, startBench } from './bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench({
    environment: {
      JANGAR_AGENTS_CONTROLLER_REPO_CONCURRENCY_ENABLED: 'true',
      JANGAR_AGENTS_CONTROLLER_REPO_CONCURRENCY_DEFAULT: '1',
    },
  })
})
afterAll(() => bench.stop())

/** Work on the repository, which no parameter names. */
const forIssue = (externalId: string): RunSpec => ({
  implementation: { inline: { text: 'Run a script.', source: { provider: 'github', externalId } } },
})

describe('the limit of a repository', patience, () => {
  test('holds for runs whose work names it, also for the next process', async () => {
    await bench.create('first', 'sleep 600', forIssue('owner/name#1'))
    await bench.until('first', (run) => said(run, 'Started') === 'True/Started', 'its start')
    await bench.create('second', 'exit 0', forIssue('owner/name#2'))
    const second = await bench.until('second', (run) => said(run, 'Admitted') !== 'absent')
    expect(said(second, 'Admitted')).toBe('False/ConcurrencyLimit')
    expect(messageOf(second, 'Admitted')).toContain('repository owner/name has one run at a time')
    await bench.restart()
    await bench.create('third', 'exit 0', forIssue('owner/name#3'))
    const third = await bench.until('third', (run) => said(run, 'Admitted') !== 'absent')
    expect(said(third, 'Admitted')).toBe('False/ConcurrencyLimit')
    expect(said(await bench.get('second'), 'Admitted')).toBe('False/ConcurrencyLimit')
    await bench.patch('first', { cancel: true })
    const ended = await Promise.all(['second', 'third'].map((name) => bench.untilFinished(name)))
    expect(ended.map((run) => said(run, 'Succeeded'))).toEqual(['True/Succeeded', 'True/Succeeded'])
  })
})
