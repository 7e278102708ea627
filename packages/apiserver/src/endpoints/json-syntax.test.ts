import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonSyntaxProblem } from './json-syntax.ts'

describe('jsonSyntaxProblem', () => {
  test.each([
    { text: '', says: 'unexpected end of JSON input' },
    { text: '{"a":', says: 'unexpected end of JSON input' },
    { text: '{"a":}', says: "invalid character '}' looking for beginning of value" },
    { text: '{a:1}', says: "invalid character 'a' looking for beginning of object key string" },
    { text: '{"a" 1}', says: "invalid character '1' after object key" },
    { text: '{"a":1 "b"}', says: `invalid character '"' after object key:value pair` },
    { text: '[1 2]', says: "invalid character '2' after array element" },
    { text: '[1,]', says: "invalid character ']' looking for beginning of value" },
    { text: '{"a":1,}', says: "invalid character '}' looking for beginning of object key string" },
    { text: '{} x', says: "invalid character 'x' after top-level value" },
    { text: '"\n"', says: "invalid character '\\n' in string literal" },
    { text: '"\\x"', says: "invalid character 'x' in string escape code" },
    { text: '"\\u00g0"', says: "invalid character 'g' in \\u hexadecimal character escape" },
    { text: 'trux', says: "invalid character 'x' in literal true (expecting 'e')" },
    { text: "'a'", says: "invalid character '\\'' looking for beginning of value" },
    { text: '-x', says: "invalid character 'x' in numeric literal" },
  ])('$text: $says', ({ text, says }) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(jsonSyntaxProblem(text)).toBe(says)
  })

  test('a cut text is always found wanting, never a crash', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (json, at, noise) => {
        const position = at % (json.length + 1)
        const text = json.slice(0, position) + noise
        expect(jsonSyntaxProblem(text)).toMatch(/^(invalid character|unexpected end|invalid JSON)/)
      }),
      { numRuns: 500 },
    )
  })
})
