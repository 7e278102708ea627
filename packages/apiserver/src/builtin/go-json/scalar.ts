import { formatQuantity, parseQuantity } from '@agents/kube'
import { type Walk, wrongType } from './walk.ts'

/** Reads one JSON value as Go would; `goType` is how an error names the type. */
export type Read = (value: unknown, walk: Walk, goType: string) => unknown

export const readString: Read = (value, walk, goType) => {
  if (typeof value !== 'string') throw wrongType(value, walk, goType)
  return value
}

export const readBoolean: Read = (value, walk, goType) => {
  if (typeof value !== 'boolean') throw wrongType(value, walk, goType)
  return value
}

export const readNumber: Read = (value, walk, goType) => {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongType(value, walk, goType)
  return value
}

export function readInteger(bits: 32 | 64): Read {
  const limit = 2n ** BigInt(bits - 1)
  const safe = bits === 32 ? 2 ** 31 : Number.MAX_SAFE_INTEGER
  return (value, walk, goType) => {
    if (Number.isInteger(value) && Math.abs(value as number) < safe) return value
    if (typeof value === 'bigint' || Number.isInteger(value)) {
      const integer = BigInt(value as bigint)
      if (integer >= -limit && integer < limit) return value
    }
    throw wrongType(value, walk, goType, true)
  }
}

/** Base64 text of a byte slice, written again as Go writes it. */
export const readBytes: Read = (value, walk, goType) => {
  if (typeof value !== 'string') throw wrongType(value, walk, goType)
  const text = value.replaceAll(/[\r\n]/g, '')
  const bad = firstBadBase64(text)
  if (bad !== undefined) throw new TypeError(`illegal base64 data at input byte ${bad}`)
  return text
}

export const readQuantity: Read = (value) => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    // Go hands the raw JSON text to the parser of quantities.
    return canonicalQuantity(JSON.stringify(value))
  }
  return canonicalQuantity(String(value))
}

function canonicalQuantity(text: string): string {
  try {
    return formatQuantity(parseQuantity(text))
  } catch (error) {
    throw new TypeError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

export const readIntOrString: Read = (value, walk) =>
  typeof value === 'string' ? value : readInteger(32)(value, walk, 'int32')

/** RFC 3339 with any offset in, UTC with `fraction` digits out. */
export function readTime(fraction: 0 | 6): Read {
  const layout = fraction === 0 ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00'
  return (value, walk) => {
    if (typeof value !== 'string') throw wrongType(value, walk, 'string')
    const parts = timePattern.exec(value)
    const milliseconds = parts === null ? Number.NaN : Date.parse(value)
    if (parts === null || Number.isNaN(milliseconds)) {
      throw new TypeError(
        `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(value)} as "2006"`,
      )
    }
    if (fraction > 0 && parts[1]?.length !== fraction) {
      const rest = value.slice(19)
      throw new TypeError(
        `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ".000000"`,
      )
    }
    const seconds = new Date(milliseconds).toISOString().slice(0, 19)
    if (fraction === 0) return `${seconds}Z`
    return `${seconds}.${parts[1] ?? ''}Z`
  }
}

const timePattern =
  /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,](\d+))?(?:Z|[+-]\d\d:\d\d)$/

function firstBadBase64(text: string): number | undefined {
  const end = text.length
  for (let index = 0; index < end; index++) {
    const character = text[index] ?? ''
    if (/[A-Za-z0-9+/]/.test(character)) continue
    const position = index % 4
    if (character !== '=' || position < 2) return index
    if (position === 2) {
      if (text[index + 1] !== '=') return index + 1 < end ? index + 1 : end
      index++
    }
    return index + 1 < end ? index + 1 : undefined
  }
  return end % 4 === 0 ? undefined : end - (end % 4)
}
