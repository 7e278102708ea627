import { describe, expect, test } from 'vitest'
import { checkStored, isHeavyBody, maxValues } from './body-weight.ts'

const json = 'application/json'
const yaml = 'application/yaml'
function weigh(text: string, type = json) {
  return isHeavyBody(Buffer.from(text), type)
}

describe('a body', () => {
  test.each([
    { because: 'is small', text: '{"a":[1,2,3]}', type: json },
    { because: 'is one long text', text: `{"a":"${'x,['.repeat(50_000)}"}`, type: json },
    { because: 'has quotes inside a text', text: `{"a":"${'\\",'.repeat(30_000)}"}`, type: json },
    {
      because: 'is JSON that is sent as YAML',
      text: ` {"a":"${'x\n- '.repeat(9_000)}"}`,
      type: yaml,
    },
    { because: 'is a short manifest', text: 'a: 1\n'.repeat(300), type: yaml },
  ])('is handled by the main thread if it $because', ({ text, type }) => {
    expect(weigh(text, type)).toBe(false)
  })

  test.each([
    { because: 'has many values', text: `[${'1,'.repeat(5_000)}1]`, type: json },
    { because: 'has many empty lists', text: `[${'[],'.repeat(3_000)}1]`, type: json },
    { because: 'is one very long text', text: `"${'x'.repeat(2 ** 20)}"`, type: json },
    { because: 'has many lines', text: 'a: 1\n'.repeat(3_000), type: yaml },
    { because: 'nests lists in a line', text: `a: ${'- '.repeat(2_000)}1`, type: yaml },
    { because: 'has an alias', text: `a: &a [${'1,'.repeat(600)}]\nb: *a`, type: yaml },
  ])('is not handled by the main thread if it $because', ({ text, type }) => {
    expect(weigh(text, type)).toBe(true)
  })

  test.each([
    { because: 'in JSON', text: `[${'1,'.repeat(maxValues)}1]`, type: json },
    { because: 'in objects', text: `[${'{},'.repeat(maxValues / 2)}1]`, type: json },
    { because: 'in YAML', text: `x: [${'1,'.repeat(maxValues)}1]`, type: yaml },
    {
      because: 'in a patch',
      text: '- 1\n'.repeat(maxValues),
      type: 'application/apply-patch+yaml',
    },
  ])('is rejected if it has too many values $because', ({ text, type }) => {
    expect(() => weigh(text, type)).toThrow(
      expect.objectContaining({ code: 413, reason: 'RequestEntityTooLarge' }),
    )
  })
})

describe('a stored object', () => {
  const stored = (text: string): Buffer => Buffer.from(JSON.stringify({ data: { text } }))

  test.each([
    { because: 'text', text: 'a'.repeat(1_500_000) },
    { because: 'line ends', text: '\n'.repeat(1_000_000) },
    { because: 'control characters', text: '\u001b'.repeat(1_000_000) },
  ])('may have a megabyte of $because', ({ text }) => {
    expect(() => checkStored(stored(text))).not.toThrow()
  })

  test.each([
    { because: 'text', text: 'a'.repeat(1_600_000) },
    { because: 'line ends', text: '\n'.repeat(1_600_000) },
  ])('is rejected like by etcd if it has more than 1.5 MiB of $because', ({ text }) => {
    expect(() => checkStored(stored(text))).toThrow('etcdserver: request is too large')
  })
})
