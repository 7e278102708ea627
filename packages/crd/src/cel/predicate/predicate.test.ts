import { describe, expect, test } from 'vitest'
import { compilePredicate, type PredicateVariables } from './predicate.ts'

const variables: PredicateVariables = {
  parameters: { mapOf: 'string' },
  steps: { mapOf: { fields: { outcome: 'string', outputs: { mapOf: 'any' } } } },
  run: { fields: { name: 'string', namespace: 'string' } },
  item: 'any',
}

const values = {
  parameters: { stage: 'test', count: '3' },
  steps: {
    plan: { outcome: 'Succeeded', outputs: { files: ['a', 'b'], size: 4, ok: true, text: 'x' } },
    'static-check': { outcome: 'Failed', outputs: {} },
  },
  run: { name: 'nightly-1', namespace: 'agents' },
  item: { name: 'one', weight: 2 },
}

function evaluate(source: string) {
  const compiled = compilePredicate(source, variables)
  if (!compiled.ok) throw new Error(compiled.error)
  return compiled.predicate.evaluate(values)
}

function compileError(source: string): string {
  const compiled = compilePredicate(source, variables)
  return compiled.ok ? 'compiles' : compiled.error
}

describe('a predicate', () => {
  test.each([
    ["parameters.stage == 'test'", true],
    ['int(parameters.count) > 3', false],
    ["steps.plan.outcome == 'Succeeded' && steps.plan.outputs.size > 3", true],
    ["steps['static-check'].outcome == 'Failed'", true],
    ['has(steps.plan.outputs.missing)', false],
    ["steps.plan.outputs.files.exists(file, file.startsWith('b'))", true],
    ["run.namespace == 'agents'", true],
    ["item.name == 'one' && item.weight == 2", true],
    ['steps.plan.outputs.ok', true],
  ])('%s is %s', (source, value) => {
    expect(evaluate(source)).toEqual({ ok: true, value })
  })

  test.each([
    { source: 'parameters.stage', error: 'must evaluate to bool but got string' },
    { source: "'a' + 'b'", error: 'must evaluate to bool but got string' },
    { source: 'parameters.stage == 3', error: 'found no matching overload' },
    { source: 'steps.plan.results.x == 1', error: "undefined field 'results'" },
    { source: 'secrets.token == 1', error: 'undeclared reference' },
    { source: 'object.x == 1', error: 'undeclared reference' },
    { source: 'parameters.stage ==', error: 'Syntax error' },
    { source: '', error: 'Syntax error' },
  ])('$source does not compile: $error', ({ source, error }) => {
    expect(compileError(source)).toContain(error)
  })

  test.each([
    { source: 'steps.gone.outputs.x == 1', error: 'no such key: gone' },
    { source: 'steps.plan.outputs.text', error: 'must evaluate to bool but got string' },
    { source: 'item.weight', error: 'must evaluate to bool but got int' },
    { source: '1 / 0 == 1', error: 'division by zero' },
  ])('$source fails when it is evaluated: $error', ({ source, error }) => {
    expect(evaluate(source)).toEqual({ ok: false, error: expect.stringContaining(error) })
  })

  test('is stopped if it costs too much', () => {
    const source = 'lists.range(1000).all(i, lists.range(1000).all(j, i + j >= 0))'
    expect(evaluate(source)).toEqual({ ok: false, error: expect.stringContaining('cost limit') })
  })

  test('is not compiled if it is too long', () => {
    expect(compileError(`parameters.stage == '${'x'.repeat(5000)}'`)).toContain('4096 characters')
  })

  test.each([
    [
      "parameters.stage == 'a' || parameters['other-one'] == 'b'",
      ['parameters.stage', 'parameters.other-one'],
    ],
    [
      'has(steps.plan.outputs.size) && steps.plan.outputs.size > 3',
      ['steps.plan.outputs.size', 'steps.plan.outputs.size'],
    ],
    [
      'steps.plan.outputs.files.exists(file, file == item.name)',
      ['steps.plan.outputs.files', 'item.name'],
    ],
    ["steps[parameters.stage].outcome == 'Failed'", ['steps', 'parameters.stage']],
    ["steps.exists(name, steps[name].outcome == 'Failed')", ['steps', 'steps']],
    ["[1].exists(steps, steps == 1) && run.name == 'a'", ['run.name']],
    ["steps.plan.outputs[?'x'].orValue('') == ''", ['steps.plan.outputs.x']],
    ["steps.plan.outputs.?x.orValue('') == ''", ['steps.plan.outputs.x']],
  ])('%s refers to %j', (source, paths) => {
    const compiled = compilePredicate(source, variables)
    expect(compiled.ok && compiled.predicate.paths.map((path) => path.join('.'))).toEqual(paths)
  })
})

describe('a text of a quarter of a mebibyte is read once', () => {
  // Read again from each character, it would take hours: its cost would be that of one look.
  const size = 2 ** 18
  test.each([
    {
      source: "text.trim() != ''",
      text: `a${' '.repeat(size)}x`,
      because: 'blanks before the last word',
    },
    {
      source: 'double(text) > 0.0',
      text: `${'1'.repeat(size)}x`,
      because: 'digits that are no number',
    },
  ])('$source: $because', ({ source, text }) => {
    const compiled = compilePredicate(source, { text: 'string' })
    if (!compiled.ok) throw new Error(compiled.error)
    const isError = source.startsWith('double')
    expect(compiled.predicate.evaluate({ text })).toMatchObject({ ok: !isError })
  })
})
