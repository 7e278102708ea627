/** A double as Go's %g prints it: shortest digits, with an exponent below 1e-4 and from 1e6 on. */
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

/** Shortest digits, never an exponent. */
export function formatPlainDouble(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  return plainDecimal(mantissa, Number(exponent))
}

/** With so many decimals; a value exactly between two is rounded to the even one. */
export function formatFixed(value: number, precision: number): string {
  // JavaScript stops at 100 decimals and turns to exponents at 1e21.
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

/** As strconv.Quote does it: escapes what is not printable, keeps other Unicode. */
export function quoteGo(text: string): string {
  let result = '"'
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    const simple = QUOTED.get(character)
    if (simple !== undefined) result += simple
    else if (code < 0x20 || code === 0x7f) result += `\\x${code.toString(16).padStart(2, '0')}`
    else if (isPrintable(character)) result += character
    else if (code > 0xffff) result += `\\U${code.toString(16).padStart(8, '0')}`
    else result += `\\u${code.toString(16).padStart(4, '0')}`
  }
  return `${result}"`
}

const QUOTED = new Map([
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

function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)
}

function plainDecimal(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replace('-', '').replace('.', '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const padded = digits.padEnd(exponent + 1, '0')
  const fraction = padded.slice(exponent + 1)
  return `${sign}${padded.slice(0, exponent + 1)}${fraction === '' ? '' : `.${fraction}`}`
}
