import { checkDecisions, type Finding } from '@agents/chart-tools'
import { describe, expect, test } from 'vitest'

describe('a decision', () => {
  const found: Finding = { rule: 'C5', subject: 'value replicaCount', problem: 'changed' }
  const changelog = '- `replicaCount` is 2: one pod is none while a node is drained.\n'
  const decision = { ...found, reason: 'drains', since: '1.0.0', changelog: '`replicaCount` is 2' }

  test('is valid with a reason, a version and a changelog entry', () => {
    expect(checkDecisions([decision], [found], changelog)).toEqual([])
  })

  test.each<{ because: string; message: RegExp; problems: readonly string[] }>([
    {
      because: 'it has no reason',
      message: /no reason/,
      problems: checkDecisions([{ ...decision, reason: '' }], [found], changelog),
    },
    {
      because: 'it has no version',
      message: /has no since/,
      problems: checkDecisions([{ ...decision, since: '' }], [found], changelog),
    },
    {
      because: 'the changelog does not mention it',
      message: /CHANGELOG/,
      problems: checkDecisions([decision], [found], ''),
    },
    {
      because: 'it matches no finding',
      message: /matches no finding/,
      problems: checkDecisions([decision], [], changelog),
    },
  ])('is refused when $because', ({ problems, message }) => {
    expect(problems).toEqual([expect.stringMatching(message)])
  })
})
