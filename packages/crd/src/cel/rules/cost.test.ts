import { describe, expect, test } from 'vitest'
import type { Json, Schema } from '../../schema/schema.ts'
import { schemaType } from '../type/schema-type.ts'
import { compileConverter } from '../value/schema-value.ts'
import { compileRulePrograms } from './rule-program.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 10 },
    word: { type: 'string', enum: ['one', 'three'] },
    moment: { type: 'string', format: 'date-time' },
    list: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
    map: { type: 'object', maxProperties: 4, additionalProperties: { type: 'integer' } },
    open: { type: 'array', items: { type: 'integer' } },
  },
}

const value: Json = {
  text: 'twelve chars',
  word: 'one',
  moment: '2020-01-01T00:00:00Z',
  list: ['a', 'b', 'c'],
  map: { a: 1, b: 2 },
  open: [1, 2, 3],
}

/** What one evaluation cost, and the most that any could. */
function costs(rule: string): { actual: number; estimated: number } {
  const type = schemaType(schema, false)
  if (type === undefined) throw new Error('the schema has no type')
  const [compiled] = compileRulePrograms(
    { ...schema, 'x-kubernetes-validations': [{ rule }] },
    type,
  )
  if (compiled?.program === undefined) throw new Error(compiled?.error)
  const outcome = compiled.program.evaluate([compileConverter(schema)(value)], 1_000_000)
  return { actual: outcome.cost, estimated: compiled.maxCost }
}

// The numbers are those of cel-go with the estimator of Kubernetes for the same schema and value.
describe('cost units', () => {
  test.each([
    ['true', 0, 0, 'constants are free'],
    ['has(self.text)', 1, 1, 'a presence test costs its path'],
    ["self.text == 'a'", 3, 3, 'a variable, a field, a comparison'],
    ["self.text == 'twelve chars'", 4, 4, 'a longer comparison costs more'],
    ["self.word in ['one', 'two']", 2, 14, 'membership among constants is free once compiled'],
    ["self.text.contains('chars')", 4, 6, 'a search costs both lengths'],
    ["self.text.matches('^[a-z ]+$')", 8, 17, 'a match costs the length of text and pattern'],
    ['self.list.all(x, x.size() > 0)', 21, 33, 'a loop costs as often as it runs'],
    ['self.map.all(k, self.map[k] > 0)', 17, 35, 'an index costs one'],
    ["self.list.map(x, x + 'y').size() == 3", 47, 105, 'a list that is built costs ten'],
    ['self.open.sum() > 0', 6, 1572866, 'what has no bound is assumed to fill a request'],
    [
      "self.moment > timestamp('2020-01-01T00:00:00Z')",
      3,
      4,
      'conversions of constants are made once',
    ],
    ["self.list.join(',').size() > 0", 5, 25, 'joining costs what it makes'],
    ['self.?text.orValue("x").size() > 0', 4, 5, 'optional values cost like others'],
  ])('%s', (rule, actual, estimated, because) => {
    expect(costs(rule), because).toEqual({ actual, estimated })
  })
})
