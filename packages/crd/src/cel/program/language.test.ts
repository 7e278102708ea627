import { describe, expect, test } from 'vitest'
import { kubernetesEnvironment } from '../library/environment.ts'
import { CelError, type Value } from '../value/value.ts'
import { compileExpression } from './compile-expression.ts'

function evaluate(source: string): Value {
  const compilation = compileExpression(source, kubernetesEnvironment(), [])
  if ('error' in compilation) throw new Error(compilation.error)
  return compilation.program.evaluate([], 1_000_000).value
}

function errorOf(source: string): string {
  const value = evaluate(source)
  return value instanceof CelError ? value.message : `no error but ${String(value)}`
}

describe('expressions that are true', () => {
  test.each([
    ['0x1F == 31 && 0x1Fu == 31u', 'integers may be hexadecimal, signed and unsigned'],
    ['-9223372036854775808 < 0', 'the smallest integer is a literal, minus included'],
    [
      '1.5e-3 == 0.0015 && .5 == 0.5 && 1e3 == 1000.0',
      'doubles have exponents and may start with a dot',
    ],
    [
      `'\\x41\\u0042\\U00000043\\103' == 'ABCC'`,
      'there are hexadecimal, Unicode and octal escapes',
    ],
    [
      `"\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\"\\'\\\`".size() == 12`,
      'each single-letter escape is one character',
    ],
    [`r'\\n' == '\\\\n' && R"\\d" == "\\\\d"`, 'raw strings keep their backslashes'],
    [`'''a"b'c''' == "a\\"b'c"`, 'a triple-quoted string holds both quotes'],
    [
      `b'\\xff'.size() == 1 && b'é'.size() == 2`,
      'an escape in bytes is one byte, other text is UTF-8',
    ],
    [`'' + "" == ''''''`, 'empty strings come in all quotes'],
    ['2 + 3 * 4 - 6 / 2 % 2 == 13', 'products bind tighter than sums, and both go left to right'],
    ['!!true && !false && --1 == 1', 'an even number of signs cancels out'],
    ['-(1) == -1 && 7 / -2 == -3 && -7 % 3 == -1', 'integer division truncates towards zero'],
    ['1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 != 2', 'all comparison operators exist'],
    [
      "'a' + 'b' == 'ab' && b'a' + b'b' == b'ab' && [1] + [2] == [1, 2]",
      'plus joins text, bytes and lists',
    ],
    [
      'dyn(1) == 1.0 && dyn(1) == 1u && dyn(1u) == 1.0',
      'numbers are equal by value across their types',
    ],
    ['1 < 1.5 && 1u < 2 && 2.5 >= 2u && -1 < 1u', 'numbers are ordered across their types'],
    [
      'dyn(9007199254740993) > 9007199254740992.0',
      'an integer is not rounded to be compared with a double',
    ],
    [
      "dyn(1) != 'a' && dyn(null) != dyn(1) && null == null",
      'values of different types are not equal',
    ],
    [
      "'a' < 'b' && b'a' < b'b' && false < true && '\\uffee' < '😀'",
      'text is ordered by code points',
    ],
    ['1 in [1, 2] && !(3 in [1, 2]) && !(1 in [])', 'in looks for elements of a list'],
    ["'a' in {'a': 1} && !('b' in {'a': 1})", 'in looks for keys of a map'],
    ['dyn(1.0) in [1, 2] && dyn(1u) in [1]', 'in compares numbers across types too'],
    [
      "{'a': {'b': [1, 2]}}.a.b[1] == 2 && {'a': 1}['a'] == 1",
      'fields, keys and items are selected alike',
    ],
    [
      "{dyn(1): 'a'}[1u] == 'a' && {dyn(1): 'a'}[dyn(1.0)] == 'a'",
      'a key is found by an equal number',
    ],
    [
      "has({'a': 1}.a) && !has({'a': 1}.b) && has({'a': {'b': 1}}.a.b)",
      'has tells whether a field is there',
    ],
    ['(true ? [1] : [2])[0] == 1 && (false ? 1 : 2) == 2', 'a choice can be selected from'],
    ['true || 1 / 0 == 1', 'an operand that decides || hides a later error'],
    ['1 / 0 == 1 || true', 'an operand that decides || hides an earlier error'],
    ['!(1 / 0 == 1 && false) && !(false && 1 / 0 == 1)', 'the same for &&'],
    [
      '[1, 0, -3].all(x, 6 / x > 1) == false',
      'one element that fails outweighs one that cannot be judged',
    ],
    [
      '[0, 2, 3].exists(x, 6 / x == 2)',
      'one element that fits outweighs one that cannot be judged',
    ],
    ['[1, 2, 3].all(x, x > 0) && [].all(x, x > 0)', 'all holds for the empty list'],
    ['[1, 2].exists(x, x > 1) && ![].exists(x, x > 0)', 'exists is false for the empty list'],
    ['[1, 2, 3].exists_one(x, x > 2) && ![1, 2, 3].exists_one(x, x > 1)', 'exactly one must fit'],
    ['[1, 2, 3].map(x, x * 2) == [2, 4, 6]', 'map transforms'],
    ['[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]', 'map with three arguments filters first'],
    ['[1, 2, 3].filter(x, x > 1) == [2, 3]', 'filter keeps the elements'],
    [
      "{'a': 1, 'b': 2}.all(k, k != 'c') && {'a': 1}.map(k, k) == ['a']",
      'over a map the variable is the key',
    ],
    [
      '[1, 2].map(x, [x].map(x, x + 1)) == [[2], [3]]',
      'an inner variable hides the outer one of its name',
    ],
    [
      '[[1, 2], [3]].map(l, l.filter(x, x != 2)) == [[1], [3]]',
      'inner loops start again for each outer element',
    ],
    ['[1, 2, 3].all(i, v, v == i + 1)', 'with two variables a list gives index and element'],
    ["{'a': 1}.exists(k, v, k == 'a' && v == 1)", 'and a map key and value'],
    [
      '[1, 2, 3].existsOne(i, v, v == 2) && [1, 2].exists_one(i, v, i == 0)',
      'existsOne has two spellings with two variables',
    ],
    [
      '[1, 2, 3].transformList(i, v, i > 0, i * v) == [2, 6]',
      'transformList filters and transforms',
    ],
    [
      "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1) == {'b': 3}",
      'transformMap keeps the keys',
    ],
    [
      "{'a': 'x'}.transformMapEntry(k, v, {v: k}) == {'x': 'a'}",
      'transformMapEntry makes new ones',
    ],
    [
      "size('héllo') == 5 && size('😀') == 1 && size(b'é') == 2 && size([1]) == 1 && {'a': 1}.size() == 1",
      'size counts code points, bytes and elements',
    ],
    [
      "'hello'.contains('ell') && 'hello'.startsWith('he') && 'hello'.endsWith('lo')",
      'parts of text are found',
    ],
    [
      "'abc'.matches('b') && !'abc'.matches('^b') && matches('ABC', '(?i)abc')",
      'patterns are RE2, and match anywhere',
    ],
    ["'a1'.matches('^[[:alpha:]]\\\\d$')", 'RE2 knows POSIX classes'],
    [
      "int('-42') == -42 && int(3.99) == 3 && int(-3.99) == -3 && int(2u) == 2",
      'conversions to int truncate',
    ],
    ["uint('5') == 5u && uint(1.9) == 1u && uint(3) == 3u", 'conversions to uint'],
    ["double('1e3') == 1000.0 && double(5) == 5.0", 'conversions to double'],
    ["bool('true') && bool('T') && !bool('0')", 'the texts that Go takes for a boolean'],
    [
      "string(1.0) == '1' && string(1000000.0) == '1e+06' && string(true) == 'true'",
      'doubles are printed as Go prints them',
    ],
    ["string(b'abc') == 'abc' && bytes('abc') == b'abc'", 'text and bytes convert to each other'],
    [
      "type(1) == int && type('a') == string && type([]) == list && type(null) == null_type && type(type(1)) == type",
      'types are values',
    ],
    [
      "type(timestamp('2020-01-01T00:00:00Z')) == google.protobuf.Timestamp",
      'some types have long names',
    ],
    [
      "timestamp('2020-01-01T00:00:00Z') + duration('1h') == timestamp('2020-01-01T01:00:00Z')",
      'a duration moves a timestamp',
    ],
    [
      "timestamp('2020-01-02T00:00:00Z') - timestamp('2020-01-01T00:00:00Z') == duration('24h')",
      'timestamps have a distance',
    ],
    [
      "timestamp('2020-01-01T01:00:00+01:00') == timestamp('2020-01-01T00:00:00Z')",
      'the same moment is the same in every zone',
    ],
    ["timestamp('2020-03-02T03:04:05.678Z').getDayOfYear() == 61", 'days of the year count from 0'],
    ["timestamp('2020-01-05T03:04:05.678Z').getDayOfWeek() == 0", 'the week starts on Sunday'],
    [
      "timestamp('2020-01-02T03:04:05.678Z').getMilliseconds() == 678",
      'fractions of a second are kept',
    ],
    [
      "timestamp('2020-07-02T03:04:05Z').getHours('Europe/Amsterdam') == 5",
      'accessors know zones and summer time',
    ],
    ["timestamp('2020-01-02T03:04:05Z').getHours('-02:30') == 0", 'and offsets'],
    [
      "timestamp('2020-01-02T03:04:05Z').getDate() == 2 && timestamp('2020-01-02T03:04:05Z').getDayOfMonth() == 1 && timestamp('2020-01-02T03:04:05Z').getMonth() == 0",
      'dates count from 1, days and months from 0',
    ],
    [
      "duration('3723.5s').getMinutes() == 62 && duration('-1.5s').getSeconds() == -1",
      'parts of a duration are totals',
    ],
    [
      "string(duration('90m')) == '5400s' && string(duration('1.5ms')) == '0.0015s'",
      'durations are printed in seconds',
    ],
    [
      "{'a': 1}.?a == optional.of(1) && {'a': 1}.?b == optional.none()",
      'an optional field may be absent',
    ],
    [
      "{'a': {'b': 1}}.?a.b == optional.of(1) && {'a': {'b': 1}}.?c.b == optional.none()",
      'after one optional selection all are',
    ],
    [
      '[1, 2][?5].orValue(9) == 9 && [1, 2][?0].orValue(9) == 1',
      'an optional index may be out of range',
    ],
    ['optional.none().or(optional.of(2)).value() == 2', 'or takes the first that has a value'],
    [
      'optional.of(1).optMap(x, x + 1) == optional.of(2) && !optional.none().optMap(x, x + 1).hasValue()',
      'optMap computes with the value',
    ],
    [
      "optional.of({'a': 1}).optFlatMap(x, x.?a) == optional.of(1)",
      'optFlatMap does not wrap twice',
    ],
    [
      "optional.ofNonZeroValue('') == optional.none() && optional.ofNonZeroValue(0) == optional.none() && optional.ofNonZeroValue('a').hasValue()",
      'empty values can be treated as absent',
    ],
    [
      "[?optional.of(1), ?optional.none()] == [1] && {?'a': optional.none()} == {}",
      'absent optional entries are omitted',
    ],
    [
      '[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && !dyn([]).first().hasValue()',
      'first and last may be absent',
    ],
    ['[optional.of(1), optional.none()].unwrapOpt() == [1]', 'lists of optionals can be unwrapped'],
    ['1 + 1 // a comment\n== 2', 'comments end with the line'],
  ])('%s', (source, because) => {
    expect(evaluate(source), because).toBe(true)
  })
})

describe('expressions that fail', () => {
  test.each([
    ['9223372036854775807 + 1 > 0', 'integer overflow', 'integers have 64 bits'],
    ['-(-9223372036854775807 - 1) > 0', 'integer overflow', 'the smallest integer has no opposite'],
    ['1u - 2u > 0u', 'unsigned integer overflow', 'an unsigned integer is not negative'],
    ['1 / 0 == 1', 'division by zero', 'integers cannot be divided by zero'],
    ['1 % 0 == 1', 'modulus by zero', 'the remainder by zero is an error'],
    ['0.0 / 0.0 < 1.0', 'NaN values cannot be ordered', 'NaN is neither less nor more'],
    ["{'a': 1}.b == 1", 'no such key: b', 'a missing key is named'],
    ['[1, 2][2] == 1', 'index out of bounds: 2', 'an index out of range is an error'],
    ['[1, 2][-1] == 1', 'index out of bounds: -1', 'there is no counting from the end'],
    [
      "dyn([1])['a'] == 1",
      "unsupported index type 'string' in list",
      'a list is indexed by integers',
    ],
    ['dyn(1).a == 1', 'no such key: a', 'a number has no fields'],
    ["dyn(1) + 'a' == 'a'", 'no such overload', 'what the checker could not see is seen now'],
    ['dyn(1).size() == 1', 'no such overload: size', 'some functions are named'],
    [
      'dyn(1).getHours() == 1',
      'no such overload: getHours(int)',
      'others with the types of their arguments',
    ],
    ['optional.none().value() == 1', 'optional.none() dereference', 'optional.none has no value'],
    [
      "['a', 'a'].transformMapEntry(i, v, {v: i}) == {}",
      'insert failed: key a already exists',
      'a key is made once',
    ],
    [
      "timestamp('9999-12-31T23:59:59Z') + duration('1s') > timestamp(0)",
      'timestamp overflow',
      'time ends with the year 9999',
    ],
    [
      "timestamp(0).getHours('Foo/Bar') == 1",
      'unknown time zone Foo/Bar',
      'zones have names that are known',
    ],
    [
      "string(dyn(b'') + b'\\xff') == ''",
      'invalid UTF-8 in bytes, cannot convert to string',
      'not all bytes are text',
    ],
    ['[0].all(x, 1 / x > 0)', 'division by zero', 'an error remains if no operand decides'],
    [
      'dyn(1).map(x, x) == []',
      "got 'types.Int', expected iterable type",
      'only lists and maps can be walked',
    ],
    [
      "'a'.matches('a' + '(')",
      'error parsing regexp: missing closing ): `a(`',
      'a pattern that was computed may be wrong',
    ],
  ])('%s', (source, message, because) => {
    expect(errorOf(source), because).toBe(message)
  })
})
