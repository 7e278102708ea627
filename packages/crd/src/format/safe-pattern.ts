/** A pattern that the platform's own engine may run, and the longest text it may be given. */
export interface SafePattern {
  readonly regex: RegExp
  readonly maxLength: number
}

/**
 * Translates a pattern when the platform's engine gives RE2's answer in bounded time; otherwise undefined.
 *
 * Admitted: an optional `^`, a sequence of terms, an optional `$`. A term is a plain ASCII character, an escaped
 * punctuation mark, `\d`, `\w`, a positive ASCII character class, or a group, with an optional greedy quantifier.
 * - A group may carry `?` and then hold terms again; a group repeated any other way may hold no quantifier at all, so
 *   that repetitions never nest.
 * - Alternation is admitted inside a group only.
 * - Without `^`, no unbounded repetition: it would be tried anew at each start.
 * - The choices that can be made (options, branches, bounded repetitions) multiply to c; with n unbounded repetitions
 *   the work is at most c·length^n, once more times length without `^`. Longer texts than keep that within a million
 *   steps are left to RE2, and n > 2 or c > 10,000 is not admitted.
 * Everything here means the same in both dialects; the expression is rebuilt from its parts, never passed through.
 */
export function translateSafePattern(source: string): SafePattern | undefined {
  const anchored = source.startsWith('^')
  const end = source.endsWith('$') && !source.endsWith('\\$') ? source.length - 1 : source.length
  const reader: Reader = { source, at: anchored ? 1 : 0, end, unbounded: 0, repeats: 1 }
  const body = readSequence(reader, true)
  if (body === undefined || reader.at !== end) return undefined
  if (reader.unbounded > (anchored ? 2 : 0)) return undefined
  return {
    regex: new RegExp(`${anchored ? '^' : ''}${body}${end < source.length ? '$' : ''}`),
    maxLength: longestText(reader.repeats, reader.unbounded + (anchored ? 0 : 1)),
  }
}

function longestText(choices: number, exponent: number): number {
  return exponent === 0
    ? Number.POSITIVE_INFINITY
    : Math.floor((1_000_000 / choices) ** (1 / exponent))
}

interface Reader {
  readonly source: string
  readonly end: number
  at: number
  unbounded: number
  /** Product of the choices seen: a large one is as bad as an unbounded repetition. */
  repeats: number
}

const PLAIN = /[A-Za-z0-9 _\-/:@,=#~!%&'"<>;`]/
const PUNCTUATION = /[.\-/\\+*?()|[\]{}^$:@]/

function readSequence(reader: Reader, quantifiers: boolean): string | undefined {
  let out = ''
  while (reader.at < reader.end) {
    const char = reader.source[reader.at] ?? ''
    if (char === ')' || char === '|') return out
    const term = char === '(' ? readGroup(reader, quantifiers) : readAtom(reader)
    if (term === undefined) return undefined
    const quantifier = char === '(' ? '' : readQuantifier(reader, quantifiers)
    if (quantifier === undefined) return undefined
    out += term + quantifier
  }
  return out
}

function readGroup(reader: Reader, quantifiers: boolean): string | undefined {
  const start = reader.at
  const close = matchingParenthesis(reader.source, start, reader.end)
  if (close < 0 || reader.source[start + 1] === '?') return undefined
  const optional = reader.source[close + 1] === '?'
  const repeated = !optional && /^[*+{]/.test(reader.source.slice(close + 1, close + 2))
  if (repeated && !quantifiers) return undefined
  const branches: string[] = []
  reader.at = start + 1
  for (;;) {
    const branch = readSequence(reader, quantifiers && !repeated)
    if (branch === undefined) return undefined
    branches.push(branch)
    if (reader.source[reader.at] !== '|') break
    reader.at += 1
  }
  if (reader.at !== close) return undefined
  reader.at = close + 1
  // Ambiguous branches under a repetition multiply; one branch does not.
  if (repeated && branches.length > 1) return undefined
  reader.repeats *= branches.length
  const quantifier = readQuantifier(reader, quantifiers)
  return quantifier === undefined ? undefined : `(?:${branches.join('|')})${quantifier}`
}

function matchingParenthesis(source: string, open: number, end: number): number {
  let depth = 0
  for (let index = open; index < end; index += 1) {
    const char = source[index]
    if (char === '\\') index += 1
    else if (char === '[') index = classEnd(source, index, end)
    else if (char === '(') depth += 1
    else if (char === ')') {
      depth -= 1
      if (depth === 0) return index
    }
  }
  return -1
}

function classEnd(source: string, open: number, end: number): number {
  for (let index = open + 1; index < end; index += 1) {
    if (source[index] === '\\') index += 1
    else if (source[index] === ']') return index
  }
  return end
}

function readAtom(reader: Reader): string | undefined {
  const char = reader.source[reader.at] ?? ''
  if (char === '[') return readClass(reader)
  if (char === '\\') {
    const next = reader.source[reader.at + 1] ?? ''
    if (reader.at + 1 >= reader.end) return undefined
    reader.at += 2
    if (next === 'd') return '[0-9]'
    if (next === 'w') return '[0-9A-Za-z_]'
    return PUNCTUATION.test(next) ? escapeChar(next) : undefined
  }
  if (!PLAIN.test(char)) return undefined
  reader.at += 1
  return escapeChar(char)
}

function readClass(reader: Reader): string | undefined {
  const close = classEnd(reader.source, reader.at, reader.end)
  const body = reader.source.slice(reader.at + 1, close)
  // Ranges only between letters of one case or digits; a bare dash only first or last.
  const parts =
    /^-?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|\\[.\-/\\+*?()|[\]{}^$:@]|\\d|\\w|[A-Za-z0-9 _/:@,=#~!%&'"<>;.+*?(){}|$])+-?$/
  if (close >= reader.end || !parts.test(body) || hasInvertedRange(body)) return undefined
  reader.at = close + 1
  return `[${body}]`
}

function hasInvertedRange(body: string): boolean {
  for (const [, low = '', high = ''] of body.matchAll(/([A-Za-z0-9])-([A-Za-z0-9])/g)) {
    if (low > high) return true
  }
  return false
}

function readQuantifier(reader: Reader, allowed: boolean): string | undefined {
  const rest = reader.source.slice(reader.at, reader.end)
  const found = /^(?:[?*+]|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\})/.exec(rest)?.[0] ?? ''
  if (found === '') return /^[{]/.test(rest) ? undefined : ''
  // A second mark would be lazy or possessive.
  if (/^[?*+{]/.test(rest.slice(found.length))) return undefined
  if (!allowed) return undefined
  reader.at += found.length
  if (found === '*' || found === '+' || found.endsWith(',}')) reader.unbounded += 1
  else if (found === '?') reader.repeats *= 2
  else {
    const [low = 0, high = low] = found.slice(1, -1).split(',').map(Number)
    if (high < low) return undefined
    reader.repeats *= high - low + 1
  }
  return reader.repeats > 10_000 ? undefined : found
}

function escapeChar(char: string): string {
  return /[.\\+*?()|[\]{}^$/]/.test(char) ? `\\${char}` : char
}
