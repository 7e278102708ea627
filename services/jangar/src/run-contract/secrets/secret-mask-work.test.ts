import { describe, expect, test } from 'vitest'
import { searchableTexts } from './searchable-texts.ts'
import { createSecretMask } from './secret-mask.ts'
import { textsOf } from './secret-spellings.ts'
import { linesOfKey } from './testing/lines-of-key.ts'

/** The texts, and how many characters of them were made. Whatever follows takes time in proportion to them. */
function counted(texts: Iterable<string>) {
  let characters = 0
  function* all(): Generator<string> {
    for (const text of texts) {
      characters += text.length
      yield text
    }
  }
  return { texts: all(), characters: () => characters }
}

function charactersOf(secret: string): number {
  const { texts, characters } = counted(textsOf(secret))
  for (const _ of texts);
  return characters()
}

describe.each([
  { because: 'random lines', of: linesOfKey },
  { because: 'one character', of: (size: number) => 'a'.repeat(size) },
  { because: 'almost one character', of: (size: number) => `${'a'.repeat(size - 1)}b` },
  { because: 'a setting of white space', of: (size: number) => `a:${' '.repeat(size)}\u2028end` },
])('the text to search for is bounded: $because', ({ of }) => {
  // One secret against the same length in pieces: linear gives about 1, quadratic about 16.
  test('and is in proportion to the length of the secret', () => {
    const pieces = Array.from({ length: 16 }, () => charactersOf(of(250)))
    const small = pieces.reduce((sum, each) => sum + each, 0)
    expect(charactersOf(of(4000)) / small).toBeLessThan(2)
  })

  test('and of a large secret as much as is needed to see that it is too much', () => {
    const size = 190_000
    const { texts, characters } = counted(textsOf(of(size)))
    expect(searchableTexts(texts)).toBeUndefined()
    expect(characters()).toBeLessThan(32 * size)
  })
})

test('a huge secret is not read', () => {
  let reads = 0
  const huge = Object.assign(Buffer.alloc(200_000), {
    toString: () => {
      reads += 1
      return 'x'.repeat(200_000)
    },
  })
  expect(createSecretMask([huge]).hidesAll).toBe(true)
  expect(reads).toBe(0)
})
