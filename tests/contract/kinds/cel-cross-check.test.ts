import type { Json, Schema } from '@agents/crd'
import { compileRules } from '@agents/crd'
import { parse } from '@marcbachmann/cel-js'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/**
 * An independent engine must reach the same result for everything that both support: no comparison across numeric
 * types, no RE2, no Kubernetes libraries, no cost.
 */
const schema: Schema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    m: { type: 'integer' },
    s: { type: 'string' },
    t: { type: 'string' },
    l: { type: 'array', items: { type: 'integer' } },
    w: { type: 'array', items: { type: 'string' } },
    o: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } },
  },
}

const int: fc.Arbitrary<string> = fc.letrec<{ int: string }>((tie) => ({
  int: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom('self.n', 'self.m', 'size(self.s)', 'self.l.size()', 'self.o.a', 'self.l[0]'),
      fc.integer({ min: -5, max: 20 }).map((value) => (value < 0 ? `(${value})` : `${value}`)),
    ),
    fc
      .tuple(tie('int'), fc.constantFrom('+', '-', '*', '/', '%'), tie('int'))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    tie('int').map((value) => `[${value}].map(x, x + 1)[0]`),
  ),
})).int

const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('self.s', 'self.t', 'self.o.b', "'é😀'", "''", 'self.w[1]', '(self.s + self.t)'),
  int.map((value) => `string(${value})`),
)

const bool: fc.Arbitrary<string> = fc.letrec<{ bool: string }>((tie) => ({
  bool: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc
        .tuple(int, fc.constantFrom('<', '<=', '==', '!=', '>=', '>'), int)
        .map(([left, operator, right]) => `${left} ${operator} ${right}`),
      fc
        .tuple(text, fc.constantFrom('==', '!=', '<', '>='), text)
        .map(([left, operator, right]) => `${left} ${operator} ${right}`),
      fc
        .tuple(text, fc.constantFrom('contains', 'startsWith', 'endsWith'), text)
        .map(([value, method, part]) => `${value}.${method}(${part})`),
      int.map((value) => `${value} in self.l`),
      text.map((value) => `${value} in self.w`),
      fc.constantFrom('has(self.o)', 'has(self.o.a)', 'self.l == [1, 2]', 'true', 'false'),
    ),
    fc
      .tuple(tie('bool'), fc.constantFrom('&&', '||'), tie('bool'))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    tie('bool').map((value) => `!(${value})`),
    fc
      .tuple(tie('bool'), tie('bool'), tie('bool'))
      .map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
    fc
      .tuple(fc.constantFrom('all', 'exists', 'exists_one'), int)
      .map(([macro, value]) => `self.l.${macro}(x, x >= ${value})`),
    tie('bool').map((value) => `self.w.filter(x, ${value}).size() > 0`),
  ),
})).bool

const small = fc.integer({ min: -3, max: 12 })
const word = fc.constantFrom('', 'a', 'ab', '12', 'é😀')
const value = fc.record(
  {
    n: small,
    m: small,
    s: word,
    t: word,
    l: fc.array(small, { maxLength: 3 }),
    w: fc.array(word, { maxLength: 3 }),
    o: fc.record({ a: small, b: word }, { requiredKeys: [] }),
  },
  { requiredKeys: ['n', 'm', 's', 't', 'l', 'w'] },
)

type Verdict = 'true' | 'false' | 'error'

function ours(rule: string, self: Json): Verdict {
  const rules = compileRules(
    { ...schema, 'x-kubernetes-validations': [{ rule, message: 'does not hold' }] },
    { resourceRoot: false },
  )
  const [error] = rules?.validate(self) ?? []
  if (error === undefined) return 'true'
  if (error.message.includes('rule compile error')) throw new Error(error.message)
  return error.message === 'Invalid value: does not hold' ? 'false' : 'error'
}

function theirs(rule: string, self: Json): Verdict {
  try {
    return parse(rule)({ self: withIntegers(self) }) === true ? 'true' : 'false'
  } catch {
    return 'error'
  }
}

/** The other engine treats plain numbers as doubles. */
function withIntegers(json: Json): Json {
  if (typeof json === 'number') return BigInt(json)
  if (Array.isArray(json)) return json.map(withIntegers)
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([key, inner]) => [key, withIntegers(inner)]))
}

test('an independent engine reaches the same result', () => {
  fc.assert(
    fc.property(bool, value, (rule, self) => {
      expect(ours(rule, self)).toBe(theirs(rule, self))
    }),
    { numRuns: 1000 },
  )
}, 60_000)
