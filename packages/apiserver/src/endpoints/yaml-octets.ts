import { isUtf8 } from 'node:buffer'

/**
 * Decodes the text of a YAML document. Throws SyntaxError with the message of Go's YAML reader for invalid bytes and
 * for characters that YAML does not allow, although JSON may.
 */
export function yamlText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (isUtf16(bytes)) return text
  // The slow path, for invalid bytes only.
  if (!isUtf8(bytes) || forbidden.test(text)) checkCharacters(bytes)
  return text
}

/** Detects the encoding by the byte order mark. */
function isUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u

function checkCharacters(bytes: Buffer): void {
  const start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
  for (let at = start; at < bytes.length; ) {
    const width = widthOf(bytes[at] ?? 0)
    if (width === undefined) throw refusal('invalid leading UTF-8 octet')
    if (at + width > bytes.length) throw refusal('incomplete UTF-8 octet sequence')
    const code = codePoint(bytes.subarray(at, at + width))
    if (code < (leastCode[width] ?? 0)) throw refusal('invalid length of a UTF-8 sequence')
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
      throw refusal('invalid Unicode character')
    if (forbidden.test(String.fromCodePoint(code)))
      throw refusal('control characters are not allowed')
    at += width
  }
}

const byteOrderMark = Buffer.from('\ufeff')

/** The smallest code point by number of bytes. */
const leastCode = [0, 0, 0x80, 0x800, 0x10000]

function widthOf(lead: number): number | undefined {
  if ((lead & 0x80) === 0) return 1
  if ((lead & 0xe0) === 0xc0) return 2
  if ((lead & 0xf0) === 0xe0) return 3
  return (lead & 0xf8) === 0xf0 ? 4 : undefined
}

function codePoint([lead = 0, ...trailing]: Buffer): number {
  let code = trailing.length === 0 ? lead : lead & (0x3f >> trailing.length)
  for (const octet of trailing) {
    if ((octet & 0xc0) !== 0x80) throw refusal('invalid trailing UTF-8 octet')
    code = (code << 6) | (octet & 0x3f)
  }
  return code
}

function refusal(why: string): SyntaxError {
  return new SyntaxError(`yaml: ${why}`)
}
