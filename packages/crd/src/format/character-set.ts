/** The characters that one atom of a pattern can match: one flag per ASCII code, and one for all others. */
export type CharacterSet = Uint8Array

const beyondAscii = 128

export function emptySet(): CharacterSet {
  return new Uint8Array(beyondAscii + 1)
}

function addRange(set: CharacterSet, low: number, high: number): void {
  set.fill(1, low, high + 1)
}

function complement(set: CharacterSet): CharacterSet {
  return set.map((flag) => 1 - flag)
}

export function addAll(into: CharacterSet, from: CharacterSet): void {
  for (const [index, flag] of from.entries()) if (flag === 1) into[index] = 1
}

export function areDisjoint(a: CharacterSet, b: CharacterSet): boolean {
  return a.every((flag, index) => flag === 0 || b[index] === 0)
}

/** The source of a character class for the `u` flag that matches the set. */
export function classSource(set: CharacterSet): string {
  const parts: string[] = []
  for (let code = 0; code < beyondAscii; code += 1) {
    if (set[code] !== 1) continue
    const start = code
    while (code + 1 < beyondAscii && set[code + 1] === 1) code += 1
    parts.push(start === code ? hex(code) : `${hex(start)}-${hex(code)}`)
  }
  if (set[beyondAscii] === 1) parts.push('\\u{80}-\\u{10ffff}')
  return `[${parts.join('')}]`
}

function hex(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`
}

/**
 * Reads one atom at the position: a plain character, an escape, or a class. Undefined if its meaning might differ
 * between regular expression dialects.
 */
export function readAtom(
  source: string,
  at: number,
): { set: CharacterSet; end: number } | undefined {
  const char = source[at] ?? ''
  if (char === '[') return readClass(source, at)
  if (char === '\\') return readEscape(source, at)
  if (!/[A-Za-z0-9 _\-/:@,=#~!%&'"<>;`]/.test(char)) return undefined
  return { set: single(char.charCodeAt(0)), end: at + 1 }
}

function single(code: number): CharacterSet {
  const set = emptySet()
  addRange(set, code, code)
  return set
}

function readEscape(source: string, at: number): { set: CharacterSet; end: number } | undefined {
  const next = source[at + 1] ?? ''
  const hexadecimal = /^\\x([0-7][0-9a-fA-F])/.exec(source.slice(at, at + 4))?.[1]
  if (hexadecimal !== undefined)
    return { set: single(Number.parseInt(hexadecimal, 16)), end: at + 4 }
  if (next === 'd' || next === 'w') {
    const set = emptySet()
    addRange(set, 0x30, 0x39)
    if (next === 'w') {
      addRange(set, 0x41, 0x5a)
      addRange(set, 0x61, 0x7a)
      addRange(set, 0x5f, 0x5f)
    }
    return { set, end: at + 2 }
  }
  // Escaped punctuation stands for itself.
  return /[!-/:-@[-`{-~]/.test(next) ? { set: single(next.charCodeAt(0)), end: at + 2 } : undefined
}

function readClass(source: string, open: number): { set: CharacterSet; end: number } | undefined {
  const isNegated = source[open + 1] === '^'
  const set = emptySet()
  const start = open + (isNegated ? 2 : 1)
  let at = start
  while (source[at] !== ']' || at === start) {
    const item = readClassItem(source, at)
    if (item === undefined) return undefined
    const isRange = source[item.end] === '-' && source[item.end + 1] !== ']'
    if (!isRange) {
      // A dash in the middle that does not form a range has different meanings in different engines.
      if (source[at] === '-' && at !== start && source[item.end] !== ']') return undefined
      addAll(set, item.set)
      at = item.end
      continue
    }
    const last = readClassItem(source, item.end + 1)
    const low = item.set.indexOf(1)
    const high = last?.set.indexOf(1) ?? -1
    if (last === undefined || !isSingle(item.set) || !isSingle(last.set) || high < low)
      return undefined
    addRange(set, low, high)
    at = last.end
  }
  return { set: isNegated ? complement(set) : set, end: at + 1 }
}

function readClassItem(source: string, at: number): { set: CharacterSet; end: number } | undefined {
  const char = source[at] ?? ''
  if (char === '\\') return readEscape(source, at)
  const code = char.charCodeAt(0)
  if (char === '' || char === '[' || code < 0x20 || code > 0x7e) return undefined
  return { set: single(code), end: at + 1 }
}

function isSingle(set: CharacterSet): boolean {
  return set.reduce((sum, flag) => sum + flag, 0) === 1
}
