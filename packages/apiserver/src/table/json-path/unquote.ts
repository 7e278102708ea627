const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

/** Resolves Go's escapes in the text between two quotes; `undefined` if one is invalid. */
export function unquote(text: string, quote: string): string | undefined {
  let result = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character !== '\\') {
      result += character
      continue
    }
    at++
    const mark = text[at] ?? ''
    const plain = mark === quote ? quote : simple[mark]
    if (plain !== undefined) {
      result += plain
      continue
    }
    const code = /^(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3})/.exec(text.slice(at))
    if (code === null) return undefined
    const digits = code[0]
    const point = /^\d/.test(digits)
      ? Number.parseInt(digits, 8)
      : Number.parseInt(digits.slice(1), 16)
    if (point > 0x10ffff) return undefined
    result += String.fromCodePoint(point)
    at += digits.length - 1
  }
  return result
}
