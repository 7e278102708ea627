import { formatFixed, goQuote } from '../../../go-text.ts'
import { costScan } from '../../declaration/call-cost.ts'
import { type Library, method } from '../../declaration/declaration.ts'
import { dynType, listType, stringType } from '../../type/type.ts'
import { compareStrings } from '../../value/compare.ts'
import { listItem, listItems, mapFind, mapKeys } from '../../value/container.ts'
import { parseDouble, toText } from '../../value/convert.ts'
import {
  CelError,
  isBoxed,
  isList,
  isMap,
  isUint,
  noSuchOverload,
  typeNameOf,
  type Value,
} from '../../value/value.ts'
import { clauseMismatch, parseFormat } from './format-clause.ts'

/** The function `'%s has %d'.format([…])`. */
export const stringFormat: Library = [
  [
    'format',
    [
      method('string_format', [stringType, listType(dynType)], stringType, format, {
        cost: costScan,
      }),
    ],
  ],
]

function format([text, list = null]: readonly Value[]): Value {
  if (typeof text !== 'string' || !isList(list)) return noSuchOverload
  let result = ''
  let index = 0
  for (const part of parseFormat(text)) {
    if (part.kind === 'text') {
      result += part.text
      continue
    }
    if (index >= list.items.length) return new CelError(`index ${index} out of range`)
    if (part.kind === 'error') return new CelError(part.message)
    const value = listItem(list, index++)
    const formatted = formatClause(part.verb, part.precision, value)
    if (formatted === undefined) return new CelError(clauseMismatch(part.verb, typeNameOf(value)))
    if (typeof formatted !== 'string') return formatted
    result += formatted
  }
  return result
}

/** Formats one value; undefined if the clause does not accept its type. */
function formatClause(
  verb: string,
  precision: number | undefined,
  value: Value,
): string | CelError | undefined {
  switch (verb) {
    case 's':
      return formatText(value)
    case 'd':
      return integerOf(value)?.toString()
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integerOf(value)?.toString(2)
    case 'o':
      return integerOf(value)?.toString(8)
    case 'x':
      return formatHex(value)
    case 'X':
      return formatHex(value)?.toUpperCase()
    default:
      return formatNumber(verb === 'e', precision ?? 6, value)
  }
}

function formatText(value: Value): string | CelError | undefined {
  if (isList(value)) return formatList(value)
  if (isMap(value)) return formatMap(value)
  if (isBoxed(value) && value.kind === 'type') return value.name
  if (value === null) return 'null'
  const text = toText(value)
  if (typeof text === 'string') return text
  return value instanceof Uint8Array && text instanceof CelError
    ? new CelError(
        `error during formatting: could not convert argument ${goQuote(text.message)} to string`,
      )
    : undefined
}

function formatList(list: Value): string | CelError {
  const texts: string[] = []
  for (const item of isList(list) ? listItems(list) : []) {
    const text = formatNested(item)
    if (typeof text !== 'string') return text
    texts.push(text)
  }
  return `[${texts.join(', ')}]`
}

function formatMap(map: Value): string | CelError {
  if (!isMap(map)) return noSuchOverload
  const entries: [string, string][] = []
  for (const key of mapKeys(map)) {
    const keyText = formatNested(key)
    const valueText = formatNested(mapFind(map, key) ?? null)
    if (typeof keyText !== 'string') return keyText
    if (typeof valueText !== 'string') return valueText
    entries.push([keyText, valueText])
  }
  entries.sort(([a], [b]) => compareStrings(a, b))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

/** Formats a value in a list or map as a CEL literal. */
function formatNested(value: Value): string | CelError {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') {
    return Number.isFinite(value) ? formatFixed(value, 6) : goQuote(formatInfinite(value))
  }
  const text = formatText(value)
  if (text === undefined) {
    return new CelError(`error during formatting: no formatting function for ${typeNameOf(value)}`)
  }
  if (text instanceof CelError) return text
  if (value instanceof Uint8Array) return `b${goQuote(text)}`
  if (isBoxed(value) && (value.kind === 'timestamp' || value.kind === 'duration')) {
    return `${value.kind}(${goQuote(text)})`
  }
  return text
}

function formatInfinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value
  return isUint(value) ? value.value : undefined
}

function formatHex(value: Value): string | undefined {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  if (bytes instanceof Uint8Array) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  return integerOf(value)?.toString(16)
}

/**
 * Formats in American English, the default locale of upstream: grouped thousands, exponents as superscript powers of
 * ten.
 */
function formatNumber(scientific: boolean, precision: number, value: Value): string | undefined {
  const special = typeof value === 'string' && /^(NaN|-?Infinity)$/.test(value)
  const number = special ? parseDouble(String(value)) : value
  if (typeof number !== 'number') return undefined
  if (Number.isNaN(number)) return 'NaN'
  if (!Number.isFinite(number)) return number > 0 ? '∞' : '-∞'
  if (!scientific) {
    const [integer = '', fraction] = formatFixed(number, precision).split('.')
    const grouped = integer.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
    return fraction === undefined ? grouped : `${grouped}.${fraction}`
  }
  // Upstream uses the precision of %e as a width, so there are always six decimals.
  const [mantissa = '', exponent = '0'] = number.toExponential(6).split('e')
  return `${mantissa}×10${superscript(Number(exponent))}`
}

function superscript(exponent: number): string {
  const sign = exponent < 0 ? '⁻' : ''
  const digits = String(Math.abs(exponent)).padStart(2, '0')
  return sign + Array.from(digits, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit))).join('')
}
