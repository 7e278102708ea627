/** ASN.1 DER, as far as an X.509 certificate needs it. Every function returns one encoded element. */

export function sequence(...elements: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(elements))
}

export function set(...elements: Buffer[]): Buffer {
  return element(0x31, Buffer.concat(elements))
}

/** Encodes unsigned big-endian bytes, with a leading zero if the top bit would be read as a sign. */
export function integer(bytes: Buffer): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1
  const trimmed = bytes.subarray(start)
  return element(0x02, (trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed)
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.of(value ? 0xff : 0))
}

export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.of(unusedBits), bytes]))
}

export function octetString(bytes: Buffer): Buffer {
  return element(0x04, bytes)
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text, 'utf8'))
}

/** `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Buffer.concat([first * 40 + second, ...rest].map(base128)))
}

/** UTCTime until 2049, GeneralizedTime after, as RFC 5280 requires. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)
  const ascii = (text: string) => Buffer.from(`${text}Z`, 'latin1')
  return date.getUTCFullYear() < 2050
    ? element(0x17, ascii(digits.slice(2)))
    : element(0x18, ascii(digits))
}

/** `[n]`, wrapping whole elements when constructed, holding bare bytes when not. */
export function contextTag(number: number, content: Buffer, constructed: boolean): Buffer {
  return element((constructed ? 0xa0 : 0x80) | number, content)
}

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag), length(content.length), content])
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.of(size)
  const bytes: number[] = []
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.of(0x80 | bytes.length, ...bytes)
}

function base128(value: number): Buffer {
  const bytes = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return Buffer.from(bytes)
}
