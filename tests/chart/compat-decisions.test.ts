import { describe, expect, test } from 'vitest'
import type { Finding } from '../../scripts/chart/compat/chart-snapshot.ts'
import { checkDecisions } from '../../scripts/chart/compat/check-decisions.ts'

describe('a decision', () => {
  const found: Finding = { rule: 'C5', subject: 'value replicaCount', problem: 'changed' }
  const changelog = '- `replicaCount` is 2: one pod is none while a node is drained.\n'
  const decision = { ...found, reason: 'drains', since: '1.0.0', changelog: '`replicaCount` is 2' }

  test('stands with a reason, a version and a line for people', () => {
    expect(checkDecisions([decision], [found], changelog)).toEqual([])
  })

  test.each<{ because: string; says: RegExp; problems: readonly string[] }>([
    {
      because: 'it has no reason',
      says: /no reason/,
      problems: checkDecisions([{ ...decision, reason: '' }], [found], changelog),
    },
    {
      because: 'it has no version',
      says: /since which version/,
      problems: checkDecisions([{ ...decision, since: '' }], [found], changelog),
    },
    {
      because: 'people are not told',
      says: /CHANGELOG/,
      problems: checkDecisions([decision], [found], ''),
    },
    {
      because: 'it decides nothing',
      says: /accepts nothing/,
      problems: checkDecisions([decision], [], changelog),
    },
  ])('is refused when $because', ({ problems, says }) => {
    expect(problems).toEqual([expect.stringMatching(says)])
  })
})
