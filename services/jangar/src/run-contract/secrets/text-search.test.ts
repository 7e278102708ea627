import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecretMask } from './secret-mask.ts'
import { TextSearch } from './text-search.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 30 })
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), minLength: 1, maxLength: 5 })

test('exactly the characters of some word are found', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), letters, (words, text) => {
      const expected = new Set<number>()
      for (const one of words) {
        for (let at = text.indexOf(one); at !== -1; at = text.indexOf(one, at + 1)) {
          for (let offset = 0; offset < one.length; offset += 1) expected.add(at + offset)
        }
      }
      const spans = new TextSearch(words).spans(text)
      const found = spans.flatMap(({ start, end }) =>
        Array.from({ length: end - start }, (_, offset) => start + offset),
      )
      expect(found).toEqual([...expected].toSorted((a, b) => a - b))
    }),
  )
})

test('a text that is masked in pieces shows nothing that it does not show as a whole', () => {
  const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 9 })
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), maxLength: 40 })
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 4 }), fc.array(piece), (secrets, pieces) => {
      const mask = createSecretMask(secrets)
      let visible = ''
      let [rest, hidden] = ['', 0]
      for (const each of pieces) {
        const head = mask.head(rest + each, hidden)
        visible += head.visible
        rest = head.rest
        hidden = head.hidden
      }
      visible += mask(rest, hidden)
      const single = (text: string) => text.replaceAll(/(?:\*\*\*)+/g, '***')
      expect(single(visible)).toBe(single(mask(pieces.join(''))))
    }),
  )
})
