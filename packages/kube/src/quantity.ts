/** The format in which a quantity was parsed and is formatted again: `12e6`, `12Mi`, `12M`. */
type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI'

/**
 * An amount `unscaled * 10^exponent`, like `resource.Quantity` of apimachinery. Immutable.
 *
 * `wide` marks amounts that upstream keeps as arbitrary-precision decimals: they never count as int64, whatever their
 * value.
 */
export interface Quantity {
  readonly unscaled: bigint
  readonly exponent: number
  readonly format: QuantityFormat
  readonly wide: boolean
  /** The parsed text, if it is in the canonical form. */
  readonly text?: string
}

export class QuantityError extends Error {
  override name = 'QuantityError'
}

/**
 * Arithmetic on digits takes time that grows with the square of their number, and no amount needs more than some
 * thirty.
 */
const maxLength = 128

/** Throws a QuantityError in apimachinery's wording. */
export function parseQuantity(text: string): Quantity {
  if (text.length > maxLength) {
    throw new QuantityError(`quantities must have at most ${maxLength} characters`)
  }
  if (text === '0') return { unscaled: 0n, exponent: 0, format: 'DecimalSI', wide: false, text }
  const parts = partsPattern.exec(text)
  if (text === '' || parts === null) throw new QuantityError(formatWrong)
  const [, sign = '', integer = '', , fraction = '', suffixText = ''] = parts
  const suffix = interpretSuffix(suffixText)
  if (suffix === undefined) throw new QuantityError("unable to parse quantity's suffix")
  const whole = integer.replace(/^0+/, '') || '0'
  const negative = sign === '-'
  return (
    parseNarrow(text, negative, whole, fraction, suffix) ??
    parseWide(negative, integer, fraction, suffix)
  )
}

export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text)
    return true
  } catch (error) {
    if (error instanceof QuantityError) return false
    throw error
  }
}

export function quantityFromInteger(value: bigint, format: QuantityFormat): Quantity {
  return { unscaled: value, exponent: 0, format, wide: false }
}

/** The canonical form: no fraction, and the largest suffix without loss of precision. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text
  if (quantity.unscaled === 0n) return '0'
  let { format } = quantity
  if (format === 'BinarySI') {
    const integer = toInteger(quantity)
    const small =
      compareQuantities(quantity, kibi) < 0 && compareQuantities(quantity, minusKibi) > 0
    if (integer !== undefined && !small) return formatBinary(integer)
    format = 'DecimalSI'
  }
  const { mantissa, exponent } = canonicalDecimal(quantity)
  return `${mantissa}${decimalSuffix(exponent, format)}`
}

export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  const signs = signOf(left.unscaled) - signOf(right.unscaled)
  if (signs !== 0) return signs < 0 ? -1 : 1
  if (left.unscaled === 0n) return 0
  // The order of magnitude decides first, so that `1e1000000000` never has to be written out.
  const magnitude = magnitudeOf(left) - magnitudeOf(right)
  const sign = signOf(left.unscaled)
  if (magnitude !== 0) return magnitude > 0 === sign > 0 ? 1 : -1
  const exponent = Math.min(left.exponent, right.exponent)
  const difference = rescale(left, exponent) - rescale(right, exponent)
  return signOf(difference)
}

export function quantitySign(quantity: Quantity): -1 | 0 | 1 {
  return signOf(quantity.unscaled)
}

export function addQuantities(left: Quantity, right: Quantity): Quantity {
  return combine(left, right, right.unscaled)
}

export function subtractQuantities(left: Quantity, right: Quantity): Quantity {
  return combine(left, right, -right.unscaled)
}

/** The value as int64, or undefined; also undefined for `1000m`, whose factors upstream does not reduce. */
export function quantityAsInt64(quantity: Quantity): bigint | undefined {
  if (quantity.wide || quantity.exponent < 0) return undefined
  if (quantity.unscaled !== 0n && quantity.exponent > maxInt64Digits) return undefined
  const value = quantity.unscaled * 10n ** BigInt(quantity.exponent)
  return fitsInt64(value) ? value : undefined
}

/** Rounded up (away from zero) to an integer, and capped at the bounds of int64. */
export function quantityValue(quantity: Quantity): bigint {
  return scaledValue(quantity, 0)
}

export function quantityMilliValue(quantity: Quantity): bigint {
  return scaledValue(quantity, -3)
}

export function quantityAsNumber(quantity: Quantity): number {
  const base = Number(quantity.unscaled)
  return quantity.exponent === 0 ? base : base * 10 ** quantity.exponent
}

/** A suffix does not start with a digit. Else each digit could be of either part: quadratic time for a long text. */
const partsPattern = /^([+-]?)([0-9]*)(\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/
const formatWrong =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)
const maxInt64Digits = 18
const nanoExponent = -9
/** Beyond this gap between two exponents a sum would need megabytes of digits. */
const maxExponentGap = 10_000

const kibi = quantityFromInteger(1024n, 'BinarySI')
const minusKibi = quantityFromInteger(-1024n, 'BinarySI')

const decimalSuffixes = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

interface Suffix {
  readonly base: 2 | 10
  readonly exponent: number
  readonly format: QuantityFormat
}

function interpretSuffix(text: string): Suffix | undefined {
  const decimal = decimalSuffixes.get(text)
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' }
  const binary = binarySuffixes.indexOf(text)
  if (binary > 0) return { base: 2, exponent: binary * 10, format: 'BinarySI' }
  if (!/^[eE][+-]?[0-9]+$/.test(text)) return undefined
  const exponent = Number(text.slice(1))
  if (!Number.isSafeInteger(exponent)) return undefined
  return { base: 10, exponent: exponent | 0, format: 'DecimalExponent' }
}

/** The amounts that fit an int64 mantissa with an exponent of at least nano. */
function parseNarrow(
  text: string,
  negative: boolean,
  whole: string,
  fraction: string,
  suffix: Suffix,
): Quantity | undefined {
  const binary = suffix.base === 2
  if (binary && fraction !== '') return undefined
  const digits = whole.length + fraction.length
  const room = binary ? 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1 : 18 - digits
  if (room < 0) return undefined
  const exponent = (binary ? 0 : suffix.exponent) - fraction.length
  if (exponent < nanoExponent) return undefined
  const shifted = whole + fraction
  const value = BigInt(shifted)
  const unscaled = binary ? value << BigInt(suffix.exponent) : value
  const canonical = binary
    ? suffix.exponent % 10 === 0 && (value & 7n) !== 0n
    : exponent % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0')
  const quantity: Quantity = {
    unscaled: negative ? -unscaled : unscaled,
    exponent,
    format: suffix.format,
    wide: false,
  }
  return canonical ? { ...quantity, text } : quantity
}

function parseWide(negative: boolean, integer: string, fraction: string, suffix: Suffix): Quantity {
  if (integer === '' && fraction === '') {
    throw new QuantityError('unable to parse numeric part of quantity')
  }
  let unscaled = BigInt(`${integer}${fraction}`)
  let exponent = -fraction.length
  let { format } = suffix
  if (suffix.base === 2) unscaled <<= BigInt(suffix.exponent)
  else exponent += suffix.exponent
  if (unscaled !== 0n && exponent < nanoExponent) {
    unscaled = divideAwayFromZero(unscaled, nanoExponent - exponent)
    exponent = nanoExponent
  }
  if (format === 'BinarySI') {
    const scale = 10n ** BigInt(Math.max(0, -exponent))
    if (unscaled > maxInt64 * scale) {
      unscaled = maxInt64
      exponent = 0
    } else if (unscaled > 0n && unscaled < scale) format = 'DecimalSI'
  }
  return { unscaled: negative ? -unscaled : unscaled, exponent, format, wide: true }
}

function combine(left: Quantity, right: Quantity, addend: bigint): Quantity {
  const format = left.unscaled === 0n ? right.format : left.format
  if (Math.abs(left.exponent - right.exponent) > maxExponentGap) {
    throw new QuantityError('quantities are too far apart to be combined')
  }
  const exponent = Math.min(left.exponent, right.exponent)
  const unscaled = rescale(left, exponent) + addend * 10n ** BigInt(right.exponent - exponent)
  const wide = left.wide || right.wide || !fitsInt64(unscaled)
  return { unscaled, exponent, format, wide }
}

function canonicalDecimal(quantity: Quantity): { mantissa: bigint; exponent: number } {
  let mantissa = quantity.unscaled
  let { exponent } = quantity
  while (mantissa % 10n === 0n) {
    mantissa /= 10n
    exponent++
  }
  const excess = ((exponent % 3) + 3) % 3
  return { mantissa: mantissa * 10n ** BigInt(excess), exponent: exponent - excess }
}

function decimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === 'DecimalExponent') return exponent === 0 ? '' : `e${exponent}`
  for (const [suffix, power] of decimalSuffixes) if (power === exponent) return suffix
  return ''
}

function formatBinary(value: bigint): string {
  let mantissa = value
  let power = 0
  while (power < binarySuffixes.length - 1 && mantissa % 1024n === 0n) {
    mantissa /= 1024n
    power++
  }
  return `${mantissa}${binarySuffixes[power] ?? ''}`
}

function toInteger(quantity: Quantity): bigint | undefined {
  if (quantity.exponent >= 0) return quantity.unscaled * 10n ** BigInt(quantity.exponent)
  const divisor = 10n ** BigInt(-quantity.exponent)
  return quantity.unscaled % divisor === 0n ? quantity.unscaled / divisor : undefined
}

function scaledValue(quantity: Quantity, exponent: number): bigint {
  const shift = quantity.exponent - exponent
  if (shift > maxInt64Digits && quantity.unscaled !== 0n) {
    return quantity.unscaled > 0n ? maxInt64 : minInt64
  }
  const value =
    shift >= 0
      ? quantity.unscaled * 10n ** BigInt(shift)
      : divideAwayFromZero(quantity.unscaled, -shift)
  if (value > maxInt64) return maxInt64
  return value < minInt64 ? minInt64 : value
}

/** `value / 10^digits`, where a remainder counts as one more. */
function divideAwayFromZero(value: bigint, digits: number): bigint {
  if (value === 0n) return 0n
  if (digits > value.toString().length) return value > 0n ? 1n : -1n
  const divisor = 10n ** BigInt(digits)
  const quotient = value / divisor
  if (value % divisor === 0n) return quotient
  return value > 0n ? quotient + 1n : quotient - 1n
}

function rescale(quantity: Quantity, exponent: number): bigint {
  return quantity.unscaled * 10n ** BigInt(quantity.exponent - exponent)
}

function magnitudeOf(quantity: Quantity): number {
  const digits = quantity.unscaled.toString()
  return digits.length - (digits.startsWith('-') ? 1 : 0) + quantity.exponent
}

function signOf(value: bigint): -1 | 0 | 1 {
  if (value === 0n) return 0
  return value > 0n ? 1 : -1
}

function fitsInt64(value: bigint): boolean {
  return value >= minInt64 && value <= maxInt64
}
