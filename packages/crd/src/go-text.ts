/** Formats a double like Go's `%v`: shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent < -4 || exponent >= 6) {
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`
  }
  return plainDecimal(mantissa, exponent)
}

/** Formats a double with the shortest digits and without an exponent. */
export function formatPlainDouble(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  return plainDecimal(mantissa, Number(exponent))
}

/** Formats a double with a number of decimals. A value exactly between two is rounded to the even one. */
export function formatFixed(value: number, precision: number): string {
  // JavaScript supports up to 100 decimals and uses exponents from 1e21 on.
  if (Math.abs(value) >= 1e21) {
    return `${BigInt(value)}${precision === 0 ? '' : `.${'0'.repeat(precision)}`}`
  }
  if (precision > 100) return value.toFixed(100) + '0'.repeat(precision - 100)
  const rounded = value.toFixed(precision)
  const exact = value.toFixed(Math.min(100, precision + 60))
  const cut = exact.length - Math.min(100 - precision, 60)
  const tail = exact.slice(cut)
  const kept = exact.slice(0, cut).replace(/\.$/, '')
  return /^50*$/.test(tail) && /[02468]$/.test(kept) ? kept : rounded
}

/** Quotes a text like Go's `%q`: printable runes are kept, everything else is escaped. */
export function goQuote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  const escaped = text.toWellFormed().replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|["\\]/gu, (rune) => {
    const short = goEscapes.get(rune)
    if (short !== undefined) return short
    const code = rune.codePointAt(0) ?? 0
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
    if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
    return `\\U${code.toString(16).padStart(8, '0')}`
  })
  return `"${escaped}"`
}

/** The escapes that Go uses for these characters in double quotes. */
export const goEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
])

function plainDecimal(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replace('-', '').replace('.', '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const padded = digits.padEnd(exponent + 1, '0')
  const fraction = padded.slice(exponent + 1)
  return `${sign}${padded.slice(0, exponent + 1)}${fraction === '' ? '' : `.${fraction}`}`
}
