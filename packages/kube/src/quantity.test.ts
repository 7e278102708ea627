import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isQuantity,
  parseQuantity,
  quantityAsInt64,
  quantityAsNumber,
  quantityFromInteger,
  quantityMilliValue,
  quantitySign,
  quantityValue,
  subtractQuantities,
} from './quantity.ts'

describe('a quantity is written in its canonical form', () => {
  test.each([
    ['0', '0', 'zero is zero'],
    ['00', '0', 'however often it is written'],
    ['1000', '1k', 'thousands become a suffix'],
    ['1000m', '1', 'thousandths become whole'],
    ['1500m', '1500m', 'unless something would be lost'],
    ['0.5', '500m', 'fractions become thousandths'],
    ['.5', '500m', 'the zero may be missing'],
    ['5.', '5.', 'so may the fraction, and then the text is kept'],
    ['1.5Gi', '1536Mi', 'binary suffixes stay binary'],
    ['1024Mi', '1Gi', 'and become as large as they can'],
    ['1023', '1023', 'small numbers have no suffix'],
    ['0.5Ki', '512', 'also when they had one'],
    ['1.1Ki', '1126400m', 'what is not whole in binary is written in decimals'],
    ['-1.5Gi', '-1536Mi', 'the sign is kept'],
    ['+5', '+5', 'even a needless one, where the text is canonical already'],
    ['1e3', '1e3', 'exponents stay exponents'],
    ['12e6', '12e6', 'in multiples of three'],
    ['1e10', '10e9', 'which can change the number'],
    ['0.1n', '1n', 'what is too small is rounded up to the smallest there is'],
    ['-0.1n', '-1n', 'away from zero'],
    ['100Ei', '9223372036854775807', 'binary quantities end at 2^63'],
    ['99999999999999999999', '99999999999999999999', 'decimal ones do not'],
    ['1E', '1E', 'E alone is a suffix'],
    ['1E3', '1E3', 'E with digits is an exponent'],
  ])('%s is %s', (text, expected, because) => {
    expect(formatQuantity(parseQuantity(text)), because).toBe(expected)
  })
})

describe('an invalid quantity is rejected', () => {
  const pattern =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  test.each([
    ['', pattern, 'an empty text'],
    ['abc', pattern, 'nor is a word'],
    ['1.2.3', pattern, 'a number has one point'],
    ['1 Gi', pattern, 'and no blank'],
    ['1x', pattern, 'x is no suffix letter'],
    ['1ki', "unable to parse quantity's suffix", 'ki is made of suffix letters'],
    ['1Gii', "unable to parse quantity's suffix", 'so is Gii'],
    ['1e', "unable to parse quantity's suffix", 'an exponent has digits'],
  ])('%j', (text, message, because) => {
    expect(() => parseQuantity(text), because).toThrow(message)
    expect(isQuantity(text)).toBe(false)
  })
})

describe('a quantity as a number', () => {
  test.each([
    ['1Gi', 1073741824n, 1073741824n, 1073741824000n, 'a whole number'],
    ['1500m', undefined, 2n, 1500n, 'values are rounded up'],
    [
      '1000m',
      undefined,
      1n,
      1000n,
      'thousandths do not count as an integer, even if there are a thousand',
    ],
    ['-1500m', undefined, -2n, -1500n, 'away from zero'],
    ['5k', 5000n, 5000n, 5000000n, 'suffixes are multiplied out'],
    [
      '1e1000000000',
      undefined,
      9223372036854775807n,
      9223372036854775807n,
      'what does not fit is capped',
    ],
  ])('%s', (text, int64, value, milli, because) => {
    const quantity = parseQuantity(text)
    expect(quantityAsInt64(quantity), because).toBe(int64)
    expect(quantityValue(quantity), because).toBe(value)
    expect(quantityMilliValue(quantity), because).toBe(milli)
  })

  test('can be a float', () => {
    expect(quantityAsNumber(parseQuantity('50.5'))).toBe(50.5)
    expect(quantityAsNumber(parseQuantity('1Ki'))).toBe(1024)
  })
})

describe('quantities are compared and combined by amount', () => {
  test.each([
    ['1', '1000m', 0, '2', '0'],
    ['1Gi', '1G', 1, '2073741824', '73741824'],
    ['500m', '1', -1, '1500m', '-500m'],
    ['-1', '1', -1, '0', '-2'],
    ['0', '1Ki', -1, '1Ki', '-1Ki'],
    ['1Gi', '1Mi', 1, '1025Mi', '1023Mi'],
  ])('%s and %s', (left, right, order, sum, difference) => {
    const [a, b] = [parseQuantity(left), parseQuantity(right)]
    expect(compareQuantities(a, b)).toBe(order)
    expect(formatQuantity(addQuantities(a, b))).toBe(sum)
    expect(formatQuantity(subtractQuantities(a, b))).toBe(difference)
  })

  test('however large their exponents are', () => {
    const huge = parseQuantity('1e1000000000')
    expect(compareQuantities(huge, parseQuantity('1'))).toBe(1)
    expect(compareQuantities(parseQuantity('1'), huge)).toBe(-1)
    expect(() => addQuantities(huge, parseQuantity('1'))).toThrow('too far apart')
  })
})

describe('for all quantities', () => {
  const text = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      fc.nat(1_000_000_000),
      fc.option(fc.nat(999_999)),
      fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-2', 'E6'),
    )
    .map(([sign, integer, fraction, suffix]) => {
      return `${sign}${integer}${fraction === null ? '' : `.${fraction}`}${suffix}`
    })

  test('the canonical form means the same and is its own canonical form', () => {
    fc.assert(
      fc.property(text, (source) => {
        const quantity = parseQuantity(source)
        const canonical = formatQuantity(quantity)
        const again = parseQuantity(canonical)
        expect(compareQuantities(quantity, again)).toBe(0)
        expect(formatQuantity(again)).toBe(canonical)
      }),
    )
  })

  test('order, sum and difference agree', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [a, b] = [parseQuantity(left), parseQuantity(right)]
        const difference = subtractQuantities(a, b)
        expect(quantitySign(difference)).toBe(compareQuantities(a, b))
        expect(compareQuantities(addQuantities(difference, b), a)).toBe(0)
      }),
    )
  })

  test('integers are themselves', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(quantityValue(quantityFromInteger(value, 'DecimalSI'))).toBe(value)
      }),
    )
  })

  test('any text is parsed or rejected', () => {
    fc.assert(fc.property(fc.string(), (source) => typeof isQuantity(source) === 'boolean'))
  })
})

test('each digit of a long text is read once', () => {
  // A text that is read again from each of its digits takes hours.
  expect(isQuantity(`${'1'.repeat(2 ** 20)}x`)).toBe(false)
})
