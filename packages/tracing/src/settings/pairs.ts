const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// What a header can carry: visible characters and blanks.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** `a=1,b=2`, as OpenTelemetry's variables have it: names are those of headers, values are percent-encoded. Undefined where it is not. */
export function parsePairs(text: string): Record<string, string> | undefined {
  const pairs: [string, string][] = []
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(at, 0)).trim()
    const value = decoded(part.slice(at + 1).trim())
    if (!NAME.test(name) || value === undefined || !VALUE.test(value)) return undefined
    pairs.push([name, value])
  }
  return Object.fromEntries(pairs)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
