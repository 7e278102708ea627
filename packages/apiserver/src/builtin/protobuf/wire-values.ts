import type { Json } from '@agents/crd'
import { parseBoundedJson } from '../../json/parse-bounded-json.ts'
import { WireError, type WireField } from './wire.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new WireError('proto: string field contains invalid UTF-8', { cause: error })
  }
}

export function bytesOf(field: WireField): Uint8Array {
  if ('bytes' in field) return field.bytes
  throw new WireError(`proto: wrong wireType = 0 for field ${field.number}`)
}

export function numberOf(field: WireField): bigint {
  if ('value' in field) return field.value
  throw new WireError(`proto: wrong wireType = 2 for field ${field.number}`)
}

export function integer(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : value
}

export function double(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits)
  return view.getFloat64(0)
}

export function rawJson(bytes: Uint8Array): Json {
  if (bytes.length === 0) return null
  try {
    return parseBoundedJson(textOf(bytes))
  } catch (error) {
    throw new WireError('proto: a field that holds JSON cannot be parsed', { cause: error })
  }
}

/** Decodes seconds since the epoch; null if absent. */
export function time(
  seconds: WireField | undefined,
  nanos: WireField | undefined,
  fraction: 0 | 6,
): string | null {
  if (seconds === undefined && nanos === undefined) return null
  const whole = seconds === undefined ? 0n : BigInt.asIntN(64, numberOf(seconds))
  const part = nanos === undefined ? 0n : BigInt.asIntN(32, numberOf(nanos))
  const date = new Date(Number(whole) * 1000)
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0) {
    throw new WireError('proto: time is out of range')
  }
  const text = date.toISOString().slice(0, 19)
  if (fraction === 0) return `${text}Z`
  return `${text}.${(part / 1000n).toString().padStart(6, '0')}Z`
}
