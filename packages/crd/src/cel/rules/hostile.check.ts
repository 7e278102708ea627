import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Schema } from '../../schema/schema.ts'
import { kubernetesEnvironment } from '../library/environment.ts'
import { compileExpression } from '../program/compile-expression.ts'
import { CelError } from '../value/value.ts'
import { compileRules } from './rules.ts'

const costLimit = 1_000_000

function compile(source: string) {
  return compileExpression(source, kubernetesEnvironment(), [])
}

function run(source: string) {
  const compilation = compile(source)
  if ('error' in compilation) throw new Error(compilation.error)
  return compilation.program.evaluate([], costLimit)
}

describe('a hostile expression', () => {
  test.each([
    [
      `${'('.repeat(300)}1${')'.repeat(300)}`,
      'expression recursion limit exceeded: 250',
      'nested parentheses',
    ],
    ['['.repeat(5000), 'expression recursion limit exceeded: 250', 'nested lists'],
    [Array(300).fill('1').join('+'), 'max recursion depth exceeded', 'a long sum'],
    [`dyn({})${'.a'.repeat(300)}`, 'max recursion depth exceeded', 'a long path'],
    [`${'true ? 1 : '.repeat(300)}1`, 'expression recursion limit exceeded: 250', 'a long choice'],
    [
      'x'.repeat(100_001),
      'expression code point size exceeds limit: size: 100001, limit 100000',
      'a long text',
    ],
    [
      `optional.of(1)${'.optMap(x, x)'.repeat(60)}`,
      'expanded expression is too large',
      'a macro that doubles its target again and again',
    ],
  ])('%#: does not compile', (source, message, because) => {
    expect(compile(source), because).toEqual({
      stage: 'check',
      error: `ERROR: <input>:-1:0: ${message}`,
    })
  })

  test('a chain of && may be long, because it does not nest', () => {
    expect(run(Array(5000).fill('true').join(' && ')).value).toBe(true)
    expect(run(`${'!'.repeat(5000)}true`).value).toBe(true)
  })

  test('a literal of bytes may be as long as an expression', () => {
    expect(run(`b'${'é'.repeat(90_000)}'.size() == 180000`).value).toBe(true)
  })

  test('rules of a schema that nests too deep are rejected with an error', () => {
    let schema: Schema = { type: 'string' }
    for (let level = 0; level < 5000; level += 1) {
      schema = { type: 'object', properties: { a: schema } }
    }
    expect(() => compileRules(schema)).toThrow(/^schema nests deeper than 500 levels at properties/)
  })

  const range = 'lists.range(1000)'
  test.each([
    [`${range}.all(a, ${range}.all(b, ${range}.all(c, true)))`, 'a loop in a loop in a loop'],
    ['lists.range(1000000000000) == []', 'a list that is too long'],
    [`${range}.map(a, ${range}.map(b, ${range}))[0] == []`, 'a list of lists of lists'],
    [
      `${range}.map(x, 'aaaaaaaaaa').join().replace('', ${range}.map(x, 'bbbbbbbbbb').join()).replace('', 'cccccccccc') == ''`,
      'a text that grows out of proportion',
    ],
    [`lists.range(2000).distinct() == []`, 'everything compared with everything'],
    [
      `${range}.map(x, 'aaaaaaaaaa').join().matches('(a|aa)+' + ${range}.map(x, 'a?a?a?a?a?').join())`,
      'a long pattern on a long text',
    ],
    [`${range}.exists(x, ${range}.transformMap(i, v, ${range}.sum()) == {})`, 'maps in a loop'],
  ])('%#: is stopped', (source, because) => {
    const outcome = run(source)
    expect(outcome.exceeded, because).toBe(true)
    expect(outcome.value).toEqual(new CelError('operation cancelled: actual cost limit exceeded'))
    expect(outcome.cost).toBeLessThan(costLimit * 3)
  })

  test('a pattern that hangs other engines is matched in linear time', () => {
    const text = `${'a'.repeat(5000)}!`
    expect(run(`'${text}'.matches('^(a+)+$') == false`).value).toBe(true)
  })

  test('a format cannot request gigabytes of zeros', () => {
    expect(compile("'%.999999999f'.format([1.0]) == ''")).toMatchObject({ stage: 'check' })
    expect(run("('%.99999' + '9999f').format([1.0]) == ''").value).toBeInstanceOf(CelError)
  })
})

/** Pieces that make it likely that a random text parses, and that a random call means something. */
const piece = fc.constantFrom(
  ...[
    '1',
    '-1',
    '0x7f',
    '2u',
    '1.5',
    "'a'",
    '"é😀"',
    "b'\\xff'",
    "r'\\d'",
    'true',
    'null',
    '[1, 2]',
  ],
  ...[
    "{'a': 1}",
    'dyn(1)',
    "dyn('a')",
    'x',
    'int',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    '.',
    '?',
    ':',
    '!',
  ],
  ...[
    '+',
    '-',
    '*',
    '/',
    '%',
    '<',
    '==',
    '!=',
    '&&',
    '||',
    ' in ',
    '.?a',
    '[?0]',
    '.all(x, x == 1)',
  ],
  ...[
    '.map(x, x)',
    '.exists(k, v, k == v)',
    '.size()',
    '.sum()',
    ".split('a')",
    ".replace('', 'b')",
  ],
  ...['.optMap(x, x)', '.orValue(1)', 'optional.of(1)', 'optional.none()', '.sort()', '.first()'],
  ...[
    '.format([1])',
    "'%s'",
    "'%d%%'",
    'has({}.a)',
    '.sortBy(x, x)',
    'lists.range(3)',
    '.flatten()',
  ],
  ...[
    "timestamp('2020-01-01T00:00:00Z')",
    "duration('1h')",
    '.getHours()',
    "quantity('1')",
    "ip('::1')",
  ],
  ...['\n', '\\', "'", '"""', '`', '@', '\u0000', '٣', '//'],
)

describe('random texts', () => {
  test('compile or are rejected, and evaluate to a value or an error', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const compilation = compile(pieces.join(''))
        if ('error' in compilation) return compilation.error.length > 0
        const outcome = compilation.program.evaluate([], 10_000)
        return outcome.value !== undefined && outcome.cost >= 0
      }),
      { numRuns: 3000 },
    )
  })

  test('of any characters are rejected with a position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (source) => {
        const compilation = compile(source)
        return (
          !('error' in compilation) ||
          compilation.error.startsWith('ERROR: <input>:') ||
          compilation.stage === 'plan'
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('evaluate to the same value twice', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const compilation = compile(pieces.join(''))
        if ('error' in compilation) return
        const { program } = compilation
        expect(program.evaluate([], 10_000)).toEqual(program.evaluate([], 10_000))
      }),
      { numRuns: 1000 },
    )
  })
})
