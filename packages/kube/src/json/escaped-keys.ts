import { randomUUID } from 'node:crypto'

const quote = 0x22
const backslash = 0x5c

/**
 * Whether `value`, parsed from `text`, has to be parsed again because JSON.parse may have misread a key. V8 (Node 24 to
 * 26) compares a key with the keys of earlier objects of the same shape without resolving its escapes: it reads
 * `{"\"": 1}` after `{"\\": 1}` as another `{"\\": 1}`, and so one request could change the meaning of the next. What
 * it then returns always has a key with a backslash.
 */
export function mayHaveMisreadKeys(text: string, value: unknown): boolean {
  return text.includes('\\') && someObject(value, hasKeyWithBackslash)
}

/**
 * Parses valid JSON so that V8 does not see keys with escapes: they are replaced in the text and put back afterwards.
 */
export function parseEscapedKeys(text: string, parse: (text: string) => unknown): unknown {
  const keys = new KeyReplacements()
  const value = parse(replaceEscapedKeys(text, keys))
  someObject(value, (object) => {
    keys.restore(object)
    return false
  })
  return value
}

/** Visits all objects until `isWanted` returns true. Does not recurse, because nesting may be deep. */
function someObject(
  root: unknown,
  isWanted: (object: Record<string, unknown>) => boolean,
): boolean {
  const pending: unknown[] = [root]
  while (pending.length > 0) {
    const value = pending.pop()
    if (Array.isArray(value)) {
      for (const item of value) if (isObject(item)) pending.push(item)
    } else if (isObject(value)) {
      if (isWanted(value)) return true
      for (const key in value) if (isObject(value[key])) pending.push(value[key])
    }
  }
  return false
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function hasKeyWithBackslash(object: Record<string, unknown>): boolean {
  for (const key in object) if (key.includes('\\')) return true
  return false
}

class KeyReplacements {
  /** Cannot be guessed, so that no text contains it. */
  readonly #prefix = randomUUID()
  readonly #replacements = new Map<string, string>()
  readonly #keys: string[] = []

  /** Returns what replaces a quoted key, also quoted: the same for all spellings of a key. */
  replace(quoted: string): string {
    const key = String(JSON.parse(quoted))
    const plain = JSON.stringify(key)
    if (!plain.includes('\\')) return plain
    let replacement = this.#replacements.get(key)
    if (replacement === undefined) {
      replacement = `"${this.#prefix}${this.#keys.length}"`
      this.#replacements.set(key, replacement)
      this.#keys.push(key)
    }
    return replacement
  }

  /** Puts the keys back, in place and in the same order. */
  restore(object: Record<string, unknown>): void {
    if (!this.#isIn(object)) return
    const entries = Object.entries(object)
    for (const [key] of entries) delete object[key]
    for (const [key, value] of entries) setOwn(object, this.#original(key), value)
  }

  #isIn(object: Record<string, unknown>): boolean {
    for (const key in object) if (key.startsWith(this.#prefix)) return true
    return false
  }

  #original(key: string): string {
    if (!key.startsWith(this.#prefix)) return key
    return this.#keys[Number(key.slice(this.#prefix.length))] ?? key
  }
}

function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  // An assignment to __proto__ would not create a property.
  if (key === '__proto__') {
    const descriptor = { value, writable: true, enumerable: true, configurable: true }
    Object.defineProperty(object, key, descriptor)
  } else object[key] = value
}

function replaceEscapedKeys(text: string, keys: KeyReplacements): string {
  const pieces: string[] = []
  let copied = 0
  let start = text.indexOf('"')
  while (start !== -1) {
    const { end, hasEscape } = endOfString(text, start)
    if (hasEscape && isFollowedByColon(text, end)) {
      pieces.push(text.slice(copied, start), keys.replace(text.slice(start, end)))
      copied = end
    }
    start = text.indexOf('"', end)
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(copied)
}

function endOfString(text: string, start: number): { end: number; hasEscape: boolean } {
  let hasEscape = false
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) return { end: at + 1, hasEscape }
    if (character === backslash) {
      hasEscape = true
      at++
    }
  }
  return { end: text.length, hasEscape }
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at++
  return text[at] === ':'
}
