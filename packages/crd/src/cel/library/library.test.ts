import { describe, expect, test } from 'vitest'
import { compileExpression } from '../program/compile-expression.ts'
import { CelError, type Value } from '../value/value.ts'
import { kubernetesEnvironment } from './environment.ts'

function evaluate(source: string): Value {
  const compilation = compileExpression(source, kubernetesEnvironment(), [])
  if ('error' in compilation) throw new Error(compilation.error)
  return compilation.program.evaluate([], 1_000_000).value
}

describe('calls of the libraries that are true', () => {
  test.each([
    [
      "'héllo'.charAt(1) == 'é' && 'abc'.charAt(3) == ''",
      'strings: the position after the last character is empty',
    ],
    [
      "'hello mellow'.indexOf('ello') == 1 && 'hello mellow'.indexOf('ello', 2) == 7 && 'a'.indexOf('b') == -1",
      'strings: the first index from an offset',
    ],
    [
      "'😀a😀b'.indexOf('b') == 3 && '😀b'.substring(1) == 'b'",
      'strings: indexes count code points',
    ],
    [
      "'hello mellow'.lastIndexOf('ello') == 7 && 'hello mellow'.lastIndexOf('ello', 6) == 1",
      'strings: the last index up to an offset',
    ],
    [
      "'TacoCÆt'.lowerAscii() == 'tacocÆt' && 'TacoCÆt'.upperAscii() == 'TACOCÆT'",
      'strings: only ASCII changes case',
    ],
    [
      "'hello hello'.replace('he', 'we') == 'wello wello' && 'hello hello'.replace('he', 'we', 1) == 'wello hello'",
      'strings: as often as allowed',
    ],
    [
      "'abc'.replace('', '_') == '_a_b_c_' && 'abc'.replace('', '_', 2) == '_a_bc'",
      'strings: nothing is found around every character',
    ],
    [
      "'a b c'.split(' ') == ['a', 'b', 'c'] && 'a b c'.split(' ', 2) == ['a', 'b c'] && 'abc'.split('') == ['a', 'b', 'c']",
      'strings: the last part keeps the rest',
    ],
    [
      "'a b'.split(' ', 0) == [] && ''.split(',') == [''] && ''.split('') == []",
      'strings: nothing splits into one nothing, or none',
    ],
    [
      "'tacocat'.substring(4) == 'cat' && 'tacocat'.substring(0, 4) == 'taco'",
      'strings: from here, and up to there',
    ],
    [
      "'  \\ttrim\\n  '.trim() == 'trim' && '\\u3000x\\u0085'.trim() == 'x'",
      'strings: blanks are what Unicode calls so',
    ],
    [
      "['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b' && [].join('-') == ''",
      'strings: joined with and without separator',
    ],
    [`strings.quote('a"b\\n') == '"a\\\\"b\\\\n"'`, 'strings: quoted as a literal'],
    [
      "'%s %d %.2f %x %X %o %b %e'.format(['a', 1, 1234.567, 255, b'\\xff', 8, true, 1234.5]) == 'a 1 1,234.57 ff FF 10 1 1.234500×10⁰³'",
      'format: every clause',
    ],
    [
      `'%s'.format([{'b': [1.5], 'a': ['x']}]) == '{"a":["x"], "b":[1.500000]}'`,
      'format: maps are sorted, and their content is written as literals',
    ],
    [
      `'%s'.format([[duration('1s'), duration('90s')]]) == '[duration("1s"), duration("90s")]'`,
      'format: durations in lists are literals',
    ],
    [
      "'100%%'.format([]) == '100%' && '%s'.format([null]) == 'null' && '%.0f'.format([2.5]) == '2'",
      'format: halves are rounded to even',
    ],
    [
      '[1, 2, 2].isSorted() && ![2, 1].isSorted() && [].isSorted()',
      'lists: equal neighbours are sorted',
    ],
    [
      "[1, 2].sum() == 3 && [1.5].sum() == 1.5 && [duration('1h'), duration('1m')].sum() == duration('61m') && [].sum() == 0",
      'lists: sums of numbers and durations',
    ],
    ["[1, 3, 2].max() == 3 && ['b', 'a'].min() == 'a'", 'lists: extremes of what has an order'],
    [
      '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1',
      'lists: indexes of elements',
    ],
    ['[1, 2, 3, 4].slice(1, 3) == [2, 3] && [1, 2].slice(1, 1) == []', 'lists: a part of a list'],
    ['[[1, 2], [3]].flatten() == [1, 2, 3]', 'lists: one level is flattened'],
    ['[[[1], [2]], [[3]]].flatten(2) == [1, 2, 3]', 'lists: a given number of levels'],
    [
      "[3, 1, 2].sort() == [1, 2, 3] && [{'a': 2}, {'a': 1}].sortBy(x, x.a)[0].a == 1",
      'lists: sorted by themselves or by a key',
    ],
    [
      'lists.range(3) == [0, 1, 2] && lists.range(-1) == [] && [1, 2].reverse() == [2, 1]',
      'lists: made and reversed',
    ],
    ['[1, 2, 2, 1].distinct() == [1, 2]', 'lists: each once, in order'],
    [
      'sets.contains([1, 2], [2, 2]) && !sets.contains([1], [1, 2]) && sets.contains([1], [])',
      'sets: duplicates do not matter',
    ],
    [
      'sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1, 2], [2, 3]) && !sets.intersects([1], [])',
      'sets: the order does not matter',
    ],
    ["'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == ''", 'regex: the first match'],
    [
      "'1 a 2'.findAll('[0-9]') == ['1', '2'] && '1 a 2'.findAll('[0-9]', 1) == ['1'] && '1'.findAll('[0-9]', 0) == []",
      'regex: all matches, or some',
    ],
    [
      "url('https://u@example.com:80/a%2Fb?k=1&k=2&e=%41#f').getHost() == 'example.com:80'",
      'url: the host has the port',
    ],
    [
      "url('https://[::1]:80/').getHostname() == '::1' && url('https://[::1]:80/').getPort() == '80'",
      'url: an address in brackets',
    ],
    [
      "url('https://a/b c').getEscapedPath() == '/b%20c' && url('https://a/b%2Fc').getEscapedPath() == '/b%2Fc'",
      'url: escapes are kept',
    ],
    [
      "url('https://a/?k=1&k=2&e=%41+').getQuery() == {'k': ['1', '2'], 'e': ['A ']}",
      'url: parameters may repeat',
    ],
    [
      "url('/path').getScheme() == '' && isURL('/path') && !isURL('path') && !isURL('https://a b/') && !isURL('http://a:b/')",
      'url: absolute URLs and paths only',
    ],
    [
      "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1k') == quantity('1000') && quantity('1').compareTo(quantity('2')) == -1",
      'quantity: compared by amount',
    ],
    [
      "quantity('1').add(quantity('500m')) == quantity('1.5') && quantity('2').sub(1) == quantity('1') && sign(quantity('-1')) == -1",
      'quantity: added and subtracted',
    ],
    [
      "quantity('50k').asInteger() == 50000 && !quantity('50m').isInteger() && quantity('50.5').asApproximateFloat() == 50.5",
      'quantity: as numbers',
    ],
    ["isQuantity('1.5Gi') && !isQuantity('1.5Gx')", 'quantity: recognised'],
    [
      "ip('::1').family() == 6 && ip('127.0.0.1').isLoopback() && ip('169.254.1.1').isLinkLocalUnicast()",
      'ip: kinds of addresses',
    ],
    [
      "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast() && !ip('ff01::1').isLinkLocalMulticast()",
      'ip: link-local multicast',
    ],
    [
      "ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast() && ip('::').isUnspecified()",
      'ip: global unicast',
    ],
    [
      "string(ip('2001:0db8:0:0:0:0:0:1')) == '2001:db8::1' && ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')",
      'ip: one canonical form',
    ],
    [
      "isIP('1.2.3.4') && !isIP('01.2.3.4') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && !isIP('1.2.3')",
      'ip: neither mapped, nor zoned, nor octal',
    ],
    [
      "cidr('192.168.0.0/16').containsIP('192.168.1.1') && !cidr('192.168.0.0/16').containsIP(ip('10.0.0.1'))",
      'cidr: addresses in a network',
    ],
    [
      "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
      'cidr: networks in a network',
    ],
    [
      "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.1.2.3/8').prefixLength() == 8 && cidr('10.1.2.3/8').ip() == ip('10.1.2.3')",
      'cidr: its parts',
    ],
    [
      "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0/08')",
      'cidr: recognised',
    ],
    [
      "!format.dns1123Label().validate('my-name').hasValue() && format.dns1123Label().validate('a.b').value() == ['must not contain dots']",
      'format: what is wrong with a name',
    ],
    [
      "format.named('uuid').value().validate('x').value() == ['does not match the UUID format'] && !format.named('nope').hasValue()",
      'format: by name',
    ],
    [
      "!format.dns1123LabelPrefix().validate('a-').hasValue() && format.qualifiedName().validate('/b').value() == ['prefix part must be non-empty']",
      'format: a prefix may end in a dash',
    ],
    [
      "!format.datetime().validate('2021-01-01T00:00:00Z').hasValue() && format.date().validate('2021-02-30').hasValue() && format.uri().validate('x').hasValue() && format.byte().validate('#').hasValue()",
      'format: dates, URIs, base64',
    ],
    [
      "semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1')) && semver('1.2.3-rc.2').isGreaterThan(semver('1.2.3-rc.1')) && semver('1.0.0-1').isLessThan(semver('1.0.0-a'))",
      'semver: a release is after its candidates',
    ],
    [
      "semver('1.2.3+a') == semver('1.2.3+b') && semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
      'semver: build metadata is ignored',
    ],
    [
      "isSemver('1.2.3') && !isSemver('v1.2') && isSemver('v1.2', true) && !isSemver('1.2-rc', true) && !isSemver('01.2.3')",
      'semver: tolerant with a second argument',
    ],
  ])('%s', (source, because) => {
    expect(evaluate(source), because).toBe(true)
  })
})

describe('calls of the libraries that fail', () => {
  test.each([
    ["'abc'.charAt(4) == ''", 'index out of range: 4', 'there is no such character'],
    [
      "'tacocat'.substring(4, 3) == ''",
      'invalid substring range. start: 4, end: 3',
      'the end is before the start',
    ],
    ['[].max() == 1', 'max called on empty list', 'an empty list has no maximum'],
    [
      '[1].slice(0, 2) == []',
      'cannot slice(0, 2), list is length 1',
      'a slice ends within the list',
    ],
    ['[[1]].flatten(-1) == []', 'level must be non-negative', 'a negative depth is an error'],
    [
      "quantity('abc').isInteger()",
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      'quantities have the grammar of apimachinery',
    ],
    [
      "quantity('50m').asInteger() == 1",
      'cannot convert value to integer',
      'a fraction is not an integer',
    ],
    [
      "ip('256.1.1.1').isLoopback()",
      'IP Address "256.1.1.1" parse error during conversion from string: ParseAddr("256.1.1.1"): IPv4 field has value >255',
      'Go says what is wrong with an address',
    ],
    [
      "ip('1::2::3').isLoopback()",
      'IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
      'and where',
    ],
    [
      "cidr('10.0.0.0').prefixLength() == 1",
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no '/'`,
      'a network has a length',
    ],
    [
      "url('https://example.com:port/').getPort() == ''",
      'URL parse error during conversion from string: parse "https://example.com:port/": invalid port ":port" after host',
      'a port is a number',
    ],
    [
      "semver('1.2').major() == 1",
      'No Major.Minor.Patch elements found',
      'a version has three parts',
    ],
    [
      "('%' + 'd').format(['a']) == ''",
      'error during formatting: decimal clause can only be used on integers, was given string',
      'a clause takes what it can print',
    ],
    [
      "('%' + 's%s').format(['a']) == ''",
      'index 1 out of range',
      'there are as many arguments as clauses',
    ],
  ])('%s', (source, message, because) => {
    const value = evaluate(source)
    expect(value, because).toBeInstanceOf(CelError)
    expect(value, because).toMatchObject({ message })
  })
})
