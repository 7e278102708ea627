import { describe, expect, test } from 'vitest'
import { commitMessage, templateProblem } from './commit-message.ts'

const facts = (changed: readonly string[]) => ({
  target: 'team/prod',
  branch: 'main',
  folder: 'clusters/prod',
  changed,
})
const one = facts(['clusters/prod/team/core/configmaps/app.yaml'])

describe('commitMessage', () => {
  test('names the one thing that changed', () => {
    expect(commitMessage(undefined, one)).toBe('Mirror team/core/configmaps/app')
  })

  test('counts many, and lists no more than a person reads', () => {
    const many = facts(Array.from({ length: 150 }, (_, index) => `clusters/prod/a/${index}.yaml`))
    const lines = commitMessage(undefined, many).split('\n')
    expect(lines[0]).toBe('Mirror 150 files of team/prod')
    expect(lines.at(-1)).toBe('- and 50 more')
  })

  test('fills a template', () => {
    const template = '[{{ target }}] {{count}} to {{ branch }}:{{ path }}\n\n{{ files }}'
    expect(templateProblem(template)).toBeUndefined()
    expect(commitMessage(template, one)).toBe(
      '[team/prod] 1 to main:clusters/prod\n\n- team/core/configmaps/app.yaml',
    )
  })

  test.each([
    ['{{ author }}', 'it names something that does not exist'],
    ['{{ toString }}', 'what every object has is no name'],
    ['{{ target', 'it is not closed'],
  ])('refuses %s, because %s', (template) => {
    expect(templateProblem(template)).toBeDefined()
  })
})
