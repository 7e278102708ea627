import { formatQuantity, parseQuantity } from '@agents/kube'
import { type Walk, wrongType } from './walk.ts'

/** Decodes a JSON value like Go. `goType` is the type in error messages. */
export type Read = (value: unknown, walk: Walk, goType: string) => unknown

export function readString(value: unknown, walk: Walk, goType: string): unknown {
  if (typeof value !== 'string') throw wrongType(value, walk, goType)
  return value
}

export function readBoolean(value: unknown, walk: Walk, goType: string): unknown {
  if (typeof value !== 'boolean') throw wrongType(value, walk, goType)
  return value
}

export function readNumber(value: unknown, walk: Walk, goType: string): unknown {
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

/** Decodes the base64 text of a byte slice and encodes it as Go does. */
export function readBytes(value: unknown, walk: Walk, goType: string): unknown {
  if (typeof value !== 'string') throw wrongType(value, walk, goType)
  const text = value.replaceAll(/[\r\n]/g, '')
  const bad = firstBadBase64(text)
  if (bad !== undefined) throw new TypeError(`illegal base64 data at input byte ${bad}`)
  return text
}

export function readQuantity(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    // Go passes the raw JSON text to the quantity parser.
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

export function readIntOrString(value: unknown, walk: Walk): unknown {
  return typeof value === 'string' ? value : readInt32(value, walk, 'int32')
}

const readInt32 = readInteger(32)

/** Parses RFC 3339 with any offset and formats it in UTC with `fraction` digits. */
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
  const index = text.search(/[^A-Za-z0-9+/]/)
  if (index === -1) return end % 4 === 0 ? undefined : end - (end % 4)
  const position = index % 4
  if (text[index] !== '=' || position < 2) return index
  const padded = position === 2 ? index + 1 : index
  if (position === 2 && text[padded] !== '=') return padded < end ? padded : end
  return padded + 1 < end ? padded + 1 : undefined
}
