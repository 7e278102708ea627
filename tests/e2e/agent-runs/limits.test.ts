import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  type RunSpec,
  startHarness,
} from './run-harness.ts'

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness({
    environment: {
      JANGAR_AGENTS_CONTROLLER_REPO_CONCURRENCY_ENABLED: 'true',
      JANGAR_AGENTS_CONTROLLER_REPO_CONCURRENCY_DEFAULT: '1',
    },
  })
})
afterAll(() => harness.stop())

/** A spec that names the repository only by the source of its work. */
function forIssue(externalId: string): RunSpec {
  return {
    implementation: {
      inline: { text: 'Run a script.', source: { provider: 'github', externalId } },
    },
  }
}

describe('the concurrency limit of a repository', pollOptions, () => {
  test('applies to runs whose work names the repository, also after a restart', async () => {
    await harness.create('first', 'sleep 600', forIssue('owner/name#1'))
    await harness.until(
      'first',
      (run) => conditionText(run, 'Started') === 'True/Started',
      'its start',
    )
    await harness.create('second', 'exit 0', forIssue('owner/name#2'))
    const second = await harness.until(
      'second',
      (run) => conditionText(run, 'Admitted') !== 'absent',
    )
    expect(conditionText(second, 'Admitted')).toBe('False/ConcurrencyLimit')
    expect(messageOf(second, 'Admitted')).toContain(
      'repository owner/name is at its limit of 1 concurrent run',
    )
    await harness.restart()
    await harness.create('third', 'exit 0', forIssue('owner/name#3'))
    const third = await harness.until('third', (run) => conditionText(run, 'Admitted') !== 'absent')
    expect(conditionText(third, 'Admitted')).toBe('False/ConcurrencyLimit')
    expect(conditionText(await harness.get('second'), 'Admitted')).toBe('False/ConcurrencyLimit')
    await harness.patch('first', { cancel: true })
    const ended = await Promise.all(['second', 'third'].map((name) => harness.untilFinished(name)))
    expect(ended.map((run) => conditionText(run, 'Succeeded'))).toEqual([
      'True/Succeeded',
      'True/Succeeded',
    ])
  })
})
