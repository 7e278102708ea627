import { describe, expect, test } from 'vitest'
import { compileExpression } from './compile-expression.ts'
import type { ExpressionNames } from './expression-names.ts'
import type { Scope } from './scope.ts'

const names: ExpressionNames = {
  parameters: new Set(['stage']),
  steps: new Map([
    ['plan', undefined],
    ['mark', new Set(['version'])],
  ]),
  hasRunOutcome: false,
  hasItem: false,
  hasPayload: false,
}
const everything = { ...names, hasRunOutcome: true, hasItem: true, hasPayload: true }

const scope: Scope = {
  parameters: { stage: 'test' },
  steps: {
    plan: { outcome: 'Failed', outputs: { size: 3 } },
    mark: { outcome: 'Succeeded', outputs: { version: '1' } },
  },
  run: { name: 'a', namespace: 'b', outcome: 'Failed' },
  item: 'x',
  payload: { ok: true },
}

describe('an expression', () => {
  test.each([
    ["parameters.stage == 'test' && steps.plan.outputs.size == 3", true],
    ["steps.plan.outcome == 'Succeeded'", false],
    ["run.outcome == 'Failed' && item == 'x' && payload.ok", true],
    ["has(steps.plan.outputs.x) || steps.mark.outputs.version == '1'", true],
  ])('%s is %s', (source, value) => {
    const compiled = compileExpression(source, everything)
    expect(compiled.ok && compiled.expression.evaluate(scope)).toEqual({ ok: true, value })
  })

  test.each([
    { source: "parameters.other == 'a'", message: 'spec.parameters declares stage' },
    { source: "parameters['other'] == 'a'", message: 'spec.parameters declares stage' },
    { source: "steps.later.outcome == 'Failed'", message: 'later is not a step that has ended' },
    { source: "steps['la-ter'].outcome == ''", message: 'la-ter is not a step that has ended' },
    { source: "steps.exists(n, steps[n].outcome == '')", message: 'only by name' },
    { source: "steps[parameters.stage].outcome == ''", message: 'only by name' },
    { source: 'steps.mark.outputs.size == 1', message: 'the outputs of mark are version' },
    { source: "run.outcome == 'Failed'", message: "undefined field 'outcome'" },
    { source: 'item == 1', message: 'undeclared reference' },
    { source: 'payload.x', message: 'undeclared reference' },
    { source: 'parameters.stage', message: 'must evaluate to bool but got string' },
    { source: 'steps.plan.outputs.size', message: undefined },
  ])('$source: $message', ({ source, message }) => {
    const compiled = compileExpression(source, names)
    if (message === undefined) {
      expect(compiled.ok && compiled.expression.evaluate(scope)).toMatchObject({
        ok: false,
        problem: { reason: 'ExpressionInvalid', message: 'must evaluate to bool but got int' },
      })
      return
    }
    expect(compiled).toEqual({
      ok: false,
      problem: { reason: 'ExpressionInvalid', path: '', message: expect.stringContaining(message) },
    })
  })

  test('that no parameters are declared allows any', () => {
    const loose = { ...names, parameters: undefined }
    expect(compileExpression("parameters.other == 'a'", loose).ok).toBe(true)
  })
})
