import { describe, expect, test } from 'vitest'
import type { GraphParameter } from './graph.ts'
import { runParameters } from './parameters.ts'

const stage: GraphParameter = {
  name: 'stage',
  default: undefined,
  required: true,
  values: ['test', 'live'],
}
const branch: GraphParameter = {
  name: 'branch',
  default: 'main',
  required: true,
  values: undefined,
}
const note: GraphParameter = {
  name: 'note',
  default: undefined,
  required: false,
  values: undefined,
}
const parameters = [stage, branch, note]

describe('the parameters of a run', () => {
  test('have defaults, or an empty text if they are not required', () => {
    expect(runParameters({ parameters }, { stage: 'test' })).toEqual({
      ok: true,
      parameters: { stage: 'test', branch: 'main', note: '' },
    })
  })

  test('are any, if none is declared', () => {
    const any = { a: '1', __proto__: null, constructor: 'b' } as unknown as Record<string, string>
    expect(runParameters({ parameters: undefined }, any)).toEqual({
      ok: true,
      parameters: { a: '1', constructor: 'b' },
    })
  })

  test.each([
    { given: {}, message: 'spec.parameters.stage is required; set it' },
    { given: { stage: 'other' }, message: 'spec.parameters.stage must be one of test, live' },
    {
      given: { stage: 'test', typo: 'x' },
      message:
        'spec.parameters.typo is not declared; the Orchestration declares stage, branch, note',
    },
    {
      given: { stage: 'test', note: 'ä'.repeat(1025) },
      message: 'spec.parameters.note has 2050 bytes; at most 2048 are allowed',
    },
    {
      given: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, ''])),
      message: 'the run has 101 parameters; at most 100 are allowed',
    },
  ])('$message', ({ given, message }) => {
    expect(runParameters({ parameters }, given as Record<string, string>)).toEqual({
      ok: false,
      message,
    })
  })
})
