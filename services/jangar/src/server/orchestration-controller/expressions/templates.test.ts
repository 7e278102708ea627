import { describe, expect, test } from 'vitest'
import type { Scope } from './scope.ts'
import { findTemplates, renderTemplates } from './templates.ts'

const scope: Scope = {
  parameters: { stage: 'test', template: '{{ parameters.stage }}' },
  steps: {
    plan: {
      outcome: 'Succeeded',
      outputs: { branch: 'feature/a', files: ['a', 'b'], nested: { deep: 1 }, none: null },
    },
  },
  run: { name: 'nightly-1', namespace: 'agents' },
  item: { name: 'one' },
}

describe('renderTemplates', () => {
  test('fills in the texts of a value at any depth, and nothing else', () => {
    const value = {
      text: 'on {{ steps.plan.outputs.branch }} for {{ parameters.stage }}',
      list: ['{{ item.name }}', 3, null, true, { run: '{{ run.namespace }}/{{run.name}}' }],
      '{{ parameters.stage }}': 'keys stay',
      outcome: '{{ steps.plan.outcome }}',
    }
    expect(renderTemplates(value, scope)).toEqual({
      ok: true,
      value: {
        text: 'on feature/a for test',
        list: ['one', 3, null, true, { run: 'agents/nightly-1' }],
        '{{ parameters.stage }}': 'keys stay',
        outcome: 'Succeeded',
      },
    })
  })

  test.each([
    ['{{ steps.plan.outputs.files }}', '["a","b"]'],
    ['{{ steps.plan.outputs.nested.deep }}', '1'],
    ['{{ steps.plan.outputs.files.1 }}', 'b'],
    ['{{ steps.plan.outputs.none }}', 'null'],
    ['{{ parameters.template }}', '{{ parameters.stage }}'],
    ['{{ "{{ literally }}" }}', '{{ literally }}'],
  ])('%s is %s', (template, text) => {
    expect(renderTemplates(template, scope)).toEqual({ ok: true, value: text })
  })

  test.each([
    { template: '{{ parameters.missing }}', message: 'parameters.missing does not exist' },
    { template: '{{ steps.gone.outputs.x }}', message: 'steps.gone.outputs.x does not exist' },
    { template: '{{ parameters.constructor }}', message: 'does not exist' },
    { template: '{{ parameters.stage.length }}', message: 'does not exist' },
    { template: '{{ run.outcome }}', message: 'run.outcome does not exist' },
    { template: '{{ parameters.stage', message: 'is not closed' },
  ])('$template is an error with its path, never an empty text', ({ template, message }) => {
    expect(renderTemplates({ with: [{ branch: template }] }, scope)).toEqual({
      ok: false,
      problem: {
        reason: 'TemplateInvalid',
        path: 'with[0].branch',
        message: expect.stringContaining(message),
      },
    })
  })

  test('stops before a small value fills the memory', () => {
    const large: Scope = { ...scope, parameters: { x: 'x'.repeat(100_000) } }
    const result = renderTemplates(Array(20).fill('{{ parameters.x }}'), large)
    expect(result).toMatchObject({ ok: false, problem: { path: '[10]' } })
  })

  test('keeps a key that an object of JavaScript would take for its prototype', () => {
    const value = JSON.parse('{"__proto__": "{{ parameters.stage }}"}')
    const result = renderTemplates(value, scope)
    expect(JSON.stringify(result.ok && result.value)).toBe('{"__proto__":"test"}')
  })
})

test('findTemplates lists what texts refer to, or what is wrong with them', () => {
  const value = { a: 'plain', b: ['{{ parameters.x }} and {{ item }}'], c: '{{ not a path }}' }
  expect(findTemplates(value)).toEqual([
    { path: 'b[0]', content: { ok: true, references: [['parameters', 'x'], ['item']] } },
    { path: 'c', content: { ok: false, message: expect.stringContaining('is not a path') } },
  ])
})
