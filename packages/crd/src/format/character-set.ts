/** Characters that one atom of a pattern may match: one flag per ASCII code, and one for everything beyond. */
export type CharacterSet = Uint8Array

const BEYOND_ASCII = 128

export function emptySet(): CharacterSet {
  return new Uint8Array(BEYOND_ASCII + 1)
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

/** The set as the source of a class that means the same with the `u` flag. */
export function classSource(set: CharacterSet): string {
  const parts: string[] = []
  for (let code = 0; code < BEYOND_ASCII; code += 1) {
    if (set[code] !== 1) continue
    const start = code
    while (code + 1 < BEYOND_ASCII && set[code + 1] === 1) code += 1
    parts.push(start === code ? hex(code) : `${hex(start)}-${hex(code)}`)
  }
  if (set[BEYOND_ASCII] === 1) parts.push('\\u{80}-\\u{10ffff}')
  return `[${parts.join('')}]`
}

function hex(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`
}

/**
 * Reads one atom at the position: a plain character, an escape, or a class. Undefined for anything whose meaning might
 * differ between dialects.
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
      // A dash in the middle that is no range means different things to different engines.
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
