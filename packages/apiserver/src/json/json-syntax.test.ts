import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonSyntaxProblem } from './json-syntax.ts'

describe('jsonSyntaxProblem', () => {
  test.each([
    { text: '', message: 'unexpected end of JSON input' },
    { text: '{"a":', message: 'unexpected end of JSON input' },
    { text: '{"a":}', message: "invalid character '}' looking for beginning of value" },
    { text: '{a:1}', message: "invalid character 'a' looking for beginning of object key string" },
    { text: '{"a" 1}', message: "invalid character '1' after object key" },
    { text: '{"a":1 "b"}', message: `invalid character '"' after object key:value pair` },
    { text: '[1 2]', message: "invalid character '2' after array element" },
    { text: '[1,]', message: "invalid character ']' looking for beginning of value" },
    {
      text: '{"a":1,}',
      message: "invalid character '}' looking for beginning of object key string",
    },
    { text: '{} x', message: "invalid character 'x' after top-level value" },
    { text: '"\n"', message: "invalid character '\\n' in string literal" },
    { text: '"\\x"', message: "invalid character 'x' in string escape code" },
    { text: '"\\u00g0"', message: "invalid character 'g' in \\u hexadecimal character escape" },
    { text: 'trux', message: "invalid character 'x' in literal true (expecting 'e')" },
    { text: "'a'", message: "invalid character '\\'' looking for beginning of value" },
    { text: '-x', message: "invalid character 'x' in numeric literal" },
  ])('$text: $message', ({ text, message }) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(jsonSyntaxProblem(text)).toBe(message)
  })

  test('reports a problem for every truncated text', () => {
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
