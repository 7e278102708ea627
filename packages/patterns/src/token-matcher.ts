/** A part of a pattern that matches one character, by its code point; or any number of characters. */
export type Token = ((code: number) => boolean) | typeof anyText

export const anyText = Symbol('any text')

/** Counts what matchers do, so that a test can hold them to a bound. */
export interface Work {
  steps: number
}

interface MatcherOptions {
  /** A character that `anyText` does not match. */
  readonly separator?: string
  readonly work?: Work | undefined
}

/** More distinct characters than names have. A text of others costs its own length in tokens at most. */
const rememberedCharacters = 256

/**
 * Whether a text is what the tokens say, as a whole. All ways to match are followed at once, one bit for each token,
 * so that no text and no pattern make the matcher go back: a character costs a step for each 32 tokens, and one for
 * each token when it is first seen.
 */
export function tokenMatcher(
  tokens: readonly Token[],
  { separator, work = { steps: 0 } }: MatcherOptions = {},
): (text: string) => boolean {
  const characters = tokens.filter((token) => token !== anyText)
  const words = (characters.length >>> 5) + 1
  const loops = loopsOf(tokens, words)
  const noLoops = new Int32Array(words)
  const remembered = new Map<string, Int32Array>()
  const acceptedBy = (character: string): Int32Array => {
    const known = remembered.get(character)
    if (known !== undefined) return known
    work.steps += characters.length
    const code = character.codePointAt(0) ?? 0
    const accepted = bitsWhere(characters, words, (accepts) => accepts(code))
    if (remembered.size === rememberedCharacters) remembered.clear()
    remembered.set(character, accepted)
    return accepted
  }
  return (text) => {
    // Bit n is set if the first n characters of the pattern match what was read.
    const reached = new Int32Array(words)
    reached[0] = 1
    for (const character of text) {
      work.steps += words
      const stays = character === separator ? noLoops : loops
      if (!advance(reached, acceptedBy(character), stays)) return false
    }
    return isSet(reached, characters.length)
  }
}

/** Reads one character. False if nothing matches any more. */
function advance(reached: Int32Array, accepted: Int32Array, stays: Int32Array): boolean {
  let carried = 0
  let left = 0
  for (let word = 0; word < reached.length; word++) {
    const here = reached[word] ?? 0
    const moved = here & (accepted[word] ?? 0)
    const next = (moved << 1) | carried | (here & (stays[word] ?? 0))
    reached[word] = next
    carried = moved >>> 31
    left |= next
  }
  return left !== 0
}

/** The positions at which any text may be read. */
function loopsOf(tokens: readonly Token[], words: number): Int32Array {
  const loops = new Int32Array(words)
  let position = 0
  for (const token of tokens) {
    if (token === anyText) set(loops, position)
    else position += 1
  }
  return loops
}

function bitsWhere<T>(items: readonly T[], words: number, is: (item: T) => boolean): Int32Array {
  const bits = new Int32Array(words)
  for (const [index, item] of items.entries()) if (is(item)) set(bits, index)
  return bits
}

function set(bits: Int32Array, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31))
}

function isSet(bits: Int32Array, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0
}
