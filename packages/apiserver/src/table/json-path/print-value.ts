/** Prints a value: strings without quotes, numbers like Go, lists and objects as JSON with sorted keys. */
export function printValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return goNumber(value)
  if (typeof value === 'object' && value !== null) return goJson(value)
  return value === null || value === undefined ? '<no value>' : String(value)
}

function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value)
  // Go uses an exponent below 1e-4 and from 1e21 on, with at least two digits.
  const magnitude = Math.abs(value)
  const text = magnitude !== 0 && magnitude < 1e-4 ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

const escaped: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${entries.map(([key, part]) => `${goString(key)}:${goJson(part)}`).join(',')}}`
  }
  return typeof value === 'string' ? goString(value) : String(value)
}

function goString(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (character) => escaped[character] ?? '')
}
