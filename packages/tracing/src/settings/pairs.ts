const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// The characters that a header can contain: visible ones and blanks.
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Parses `a=1,b=2`, the format of OpenTelemetry variables: header names and percent-encoded values. Returns undefined
 * if the text is invalid.
 */
export function parsePairs(text: string): Record<string, string> | undefined {
  const pairs: [string, string][] = []
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(at, 0)).trim()
    const value = decoded(part.slice(at + 1).trim())
    if (!namePattern.test(name) || value === undefined || !valuePattern.test(value))
      return undefined
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
