import { describe, expect, test } from 'vitest'
import { kubernetesEnvironment } from '../library/environment.ts'
import { compileExpression } from './compile-expression.ts'

function compileError(source: string): string {
  const compilation = compileExpression(source, kubernetesEnvironment(), [])
  return 'error' in compilation ? compilation.error : 'no error'
}

const expressionStarts =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

describe('compile errors are those of cel-go', () => {
  test.each([
    [
      '1 +',
      `1:4: Syntax error: mismatched input '<EOF>' expecting ${expressionStarts}`,
      'an operand is missing',
    ],
    [
      '1 +* 2',
      `1:4: Syntax error: extraneous input '*' expecting ${expressionStarts}`,
      'one token is too many',
    ],
    ['(1 + 2', "1:7: Syntax error: missing ')' at '<EOF>'", 'a parenthesis is not closed'],
    [
      '[1, 2',
      "1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}",
      'a list is not closed',
    ],
    ['[1 2]', "1:4: Syntax error: extraneous input '2' expecting {']', ','}", 'a comma is missing'],
    [
      '1 2',
      "1:3: Syntax error: extraneous input '2' expecting <EOF>",
      'there is something after the end',
    ],
    ['{"a" 1}', "1:6: Syntax error: missing ':' at '1'", 'a colon is missing'],
    [
      'a ? b',
      "1:6: Syntax error: mismatched input '<EOF>' expecting ':'",
      'the other branch is missing',
    ],
    ['a.', "1:3: Syntax error: no viable alternative at input '.'", 'a field is missing'],
    ['if', '1:1: reserved identifier: if', 'some words are reserved'],
    ['9223372036854775808', '1:1: invalid int literal', 'an integer has 64 bits'],
    ["'\\ud800'", '1:1: invalid unicode code point', 'half a pair is no character'],
    ['x', "1:1: undeclared reference to 'x' (in container '')", 'a variable is not there'],
    [
      "dyn('a').foo()",
      "1:13: undeclared reference to 'foo' (in container '')",
      'a function is not there',
    ],
    ['cel', "1:1: undeclared reference to 'cel' (in container '')", 'Kubernetes has no cel.bind'],
    [
      "1 == 'a'",
      "1:3: found no matching overload for '_==_' applied to '(int, string)'",
      'types must agree',
    ],
    [
      '1 == 1.0',
      "1:3: found no matching overload for '_==_' applied to '(int, double)'",
      'also among numbers',
    ],
    [
      "'a'.startsWith(1)",
      "1:15: found no matching overload for 'startsWith' applied to 'string.(int)'",
      'a method is shown with its receiver',
    ],
    ['1 && true', "1:1: expected type 'bool' but found 'int'", 'logic is about booleans'],
    [
      "[1, 'a']",
      "1:5: expected type 'int' but found 'string'",
      'the elements of a list are of one type',
    ],
    [
      "{'a': 1, 'b': 'c'}",
      "1:15: expected type 'int' but found 'string'",
      'so are the values of a map',
    ],
    ['[1].all(1, true)', '1:9: argument must be a simple name', 'a macro wants a variable'],
    ['[1].all(x, x, true)', '1:12: duplicate variable name: x', 'and two different ones'],
    ['has(1)', '1:5: invalid argument to has() macro', 'has wants a field'],
    [
      "'abc'.all(x, true)",
      "1:1: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
      'text is not a list',
    ],
    ['null.a', "1:5: type 'null' does not support field selection", 'null has no fields'],
    ["'a'.matches('[')", '1:13: invalid matches argument', 'a literal pattern is checked'],
    ["duration('x')", '1:10: invalid duration argument', 'so is a duration'],
    ["timestamp('2020-02-30T00:00:00Z')", '1:11: invalid timestamp argument', 'and a date'],
    [
      "'%d'.format([1.5])",
      '1:14: error during formatting: decimal clause can only be used on integers, was given double',
      'and a format',
    ],
    [
      "'%s'.format([1, 2])",
      '1:12: too many arguments supplied to string.format (expected 1, got 2)',
      'with its number of arguments',
    ],
    [
      '[?1]',
      "1:3: expected type 'optional_type(int)' but found 'int'",
      'an optional entry is an optional',
    ],
    ['{}.`a`', "1:4: unsupported syntax: '`'", 'quoted identifiers are not enabled'],
  ])('%s', (source, message, because) => {
    const column = Number(message.split(':')[1])
    const pointer = `${'.'.repeat(column - 1)}^`
    expect(compileError(source), because).toBe(
      `ERROR: <input>:${message}\n | ${source}\n | ${pointer}`,
    )
  })

  test('all errors are listed in source order', () => {
    expect(compileError('a.b(c)\n+ "é" + d')).toBe(
      [
        "ERROR: <input>:1:1: undeclared reference to 'a' (in container '')",
        ' | a.b(c)',
        ' | ^',
        "ERROR: <input>:1:4: undeclared reference to 'b' (in container '')",
        ' | a.b(c)',
        ' | ...^',
        "ERROR: <input>:1:5: undeclared reference to 'c' (in container '')",
        ' | a.b(c)',
        ' | ....^',
        "ERROR: <input>:2:9: undeclared reference to 'd' (in container '')",
        ' | + "é" + d',
        ' | ...．....^',
      ].join('\n'),
    )
  })

  test.each([
    [
      "int('a') == 1",
      "type conversion error from 'string' to 'int'",
      'a literal that cannot be converted',
    ],
    ['string(dyn([1])) == ""', 'no such overload: string(list)', 'or has no conversion'],
    ["'a'.find('(') == ''", 'error parsing regexp: missing closing ): `(`', 'or no pattern'],
  ])('%s fails when constants are evaluated', (source, message, because) => {
    const compilation = compileExpression(source, kubernetesEnvironment(), [])
    expect(compilation, because).toEqual({ stage: 'plan', error: message })
  })
})
