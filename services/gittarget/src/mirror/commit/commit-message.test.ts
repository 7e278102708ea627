import { describe, expect, test } from 'vitest'
import { commitMessage, templateProblem } from './commit-message.ts'

function facts(
  changed: readonly string[],
  { created = [], deleted = [] }: { created?: readonly string[]; deleted?: readonly string[] } = {},
) {
  return {
    target: 'team/prod',
    branch: 'main',
    folder: 'clusters/prod',
    changed,
    created: new Set(created),
    deleted: new Set(deleted),
  }
}

const app = 'clusters/prod/team/core/configmaps/app.yaml'
const [a, b, c] = ['a', 'b', 'c'].map((name) => `clusters/prod/${name}.yaml`) as [
  string,
  string,
  string,
]

describe('commitMessage', () => {
  test.each([
    [facts([app], { created: [app] }), 'Create team/core/configmaps/app', 'it is new'],
    [facts([app]), 'Update team/core/configmaps/app', 'it says something else'],
    [facts([app], { deleted: [app] }), 'Delete team/core/configmaps/app', 'it is gone'],
    [facts([a, b], { created: [a, b] }), 'Create 2 files of team/prod', 'both are new'],
    [facts([a, b]), 'Update 2 files of team/prod', 'both were there'],
    [facts([a, b], { deleted: [a, b] }), 'Delete 2 files of team/prod', 'both are gone'],
    [
      facts([a, b, c], { created: [b], deleted: [c] }),
      'Mirror 3 files of team/prod: 1 created, 1 updated, 1 deleted',
      'no verb fits all',
    ],
    [
      facts([a, b, c], { deleted: [b] }),
      'Mirror 3 files of team/prod: 2 updated, 1 deleted',
      'what did not happen is not told',
    ],
  ])('%#: the first line is %j', (changes, line, because) => {
    expect(commitMessage(undefined, changes).split('\n')[0], because).toBe(line)
  })

  test('a change of one file has a single line', () => {
    expect(commitMessage(undefined, facts([app])).split('\n')).toHaveLength(1)
  })

  test('changes of several files are listed, up to a limit', () => {
    const paths = Array.from({ length: 150 }, (_, index) => `clusters/prod/a/${index}.yaml`)
    const changes = facts(paths, {
      created: ['clusters/prod/a/0.yaml'],
      deleted: paths.slice(1, 2),
    })
    const lines = commitMessage(undefined, changes).split('\n')
    expect(lines.slice(2, 5)).toEqual([
      '- created a/0.yaml',
      '- deleted a/1.yaml',
      '- updated a/2.yaml',
    ])
    expect(lines.at(-1)).toBe('- and 50 more')
  })

  test('fills a template', () => {
    const template = '[{{ target }}] {{count}} to {{ branch }}:{{ path }}\n\n{{ files }}'
    expect(templateProblem(template)).toBeUndefined()
    expect(commitMessage(template, facts([app]))).toBe(
      '[team/prod] 1 to main:clusters/prod\n\n- updated team/core/configmaps/app.yaml',
    )
  })

  test.each([
    ['{{ author }}', 'the placeholder does not exist'],
    ['{{ toString }}', 'an inherited property is not a placeholder'],
    ['{{ target', 'it is not closed'],
    [' \n', 'a commit message must not be empty'],
  ])('rejects %s, because %s', (template) => {
    expect(templateProblem(template)).toBeDefined()
  })
})
