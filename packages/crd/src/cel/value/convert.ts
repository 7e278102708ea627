import { formatDouble } from '../../go-text.ts'
import { checkInt, checkUint } from './arithmetic.ts'
import {
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampFromSeconds,
  timestampSeconds,
} from './time.ts'
import {
  CelError,
  duration,
  isDuration,
  isTimestamp,
  isUint,
  typeNameOf,
  typeValue,
  type Value,
} from './value.ts'

export function toInt(value: Value): Value {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    return value > -maxDoubleInt && value < maxDoubleInt
      ? checkInt(BigInt(Math.trunc(value)))
      : new CelError('integer overflow')
  }
  if (typeof value === 'string') {
    const parsed = parseInteger(value)
    const checked = parsed === undefined ? undefined : checkInt(parsed)
    return typeof checked === 'bigint' ? checked : conversionError(value, 'int')
  }
  if (isUint(value)) return checkInt(value.value)
  if (isTimestamp(value)) return timestampSeconds(value)
  return isDuration(value) ? value.nanos : conversionError(value, 'int')
}

export function toUint(value: Value): Value {
  if (typeof value === 'bigint') return checkUint(value)
  if (typeof value === 'number') {
    return value >= 0 && value < 2 ** 64
      ? checkUint(BigInt(Math.trunc(value)))
      : new CelError('unsigned integer overflow')
  }
  if (typeof value === 'string') {
    const parsed = /^[+-]/.test(value) ? undefined : parseInteger(value)
    const checked = parsed === undefined ? undefined : checkUint(parsed)
    const failed = checked === undefined || checked instanceof CelError
    return failed ? conversionError(value, 'uint') : checked
  }
  return isUint(value) ? value : conversionError(value, 'uint')
}

export function toDouble(value: Value): Value {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string') return parseDouble(value) ?? conversionError(value, 'double')
  return isUint(value) ? Number(value.value) : conversionError(value, 'double')
}

export function toBool(value: Value): Value {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') {
    if (trueTexts.has(value)) return true
    if (falseTexts.has(value)) return false
  }
  return conversionError(value, 'bool')
}

export function toText(value: Value): Value {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return formatDouble(value)
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return decodeUtf8(value)
  if (isUint(value)) return String(value.value)
  if (isTimestamp(value)) return formatTimestamp(value)
  return isDuration(value) ? formatDuration(value.nanos) : conversionError(value, 'string')
}

export function toBytes(value: Value): Value {
  if (value instanceof Uint8Array) return value
  return typeof value === 'string'
    ? new TextEncoder().encode(value)
    : conversionError(value, 'bytes')
}

export function toTimestamp(value: Value): Value {
  if (isTimestamp(value)) return value
  if (typeof value === 'bigint') return timestampFromSeconds(value)
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined
  return parsed ?? conversionError(value, 'google.protobuf.Timestamp')
}

export function toDuration(value: Value): Value {
  if (isDuration(value)) return value
  const nanos = typeof value === 'string' ? parseDuration(value) : undefined
  return nanos === undefined ? conversionError(value, 'google.protobuf.Duration') : duration(nanos)
}

export function toType(value: Value): Value {
  return typeValue(typeNameOf(value))
}

/**
 * Parses a double like Go's ParseFloat, which accepts hexadecimal floats and infinities, but not JavaScript's `0x10` or
 * white space.
 */
export function parseDouble(text: string): number | undefined {
  if (/^[+-]?(inf|infinity)$/i.test(text)) {
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  if (/^nan$/i.test(text)) return Number.NaN
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

function conversionError(value: Value, target: string): CelError {
  if (value instanceof CelError) return value
  return new CelError(`type conversion error from '${typeNameOf(value)}' to '${target}'`)
}

function parseInteger(text: string): bigint | undefined {
  return /^[+-]?\d{1,40}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
}

function decodeUtf8(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

const maxDoubleInt = 2 ** 63
const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])
