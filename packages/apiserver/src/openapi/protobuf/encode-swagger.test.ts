import { expect, test } from 'vitest'
import { type WireField, wireFields } from '../../builtin/protobuf/wire.ts'
import { encodeSwagger } from './encode-swagger.ts'

test('numbers of 64 bits, doubles and false are written', () => {
  const schema = decodedSchema({
    minLength: -1,
    maxLength: 2n ** 40n,
    maximum: -0.5,
    uniqueItems: false,
  })
  expect(schema).toEqual([
    { number: 12, value: 2n ** 64n - 1n },
    { number: 11, value: 2n ** 40n },
    { number: 7, value: 0xbfe0000000000000n },
    { number: 16, value: 0n },
  ])
})

test.each([
  ['line breaks of YAML', 'a\u0085b\u2028c\u2029d', '"a\\u0085b\\u2028c\\u2029d"'],
  ['control characters', '\u007f\u0001', '"\\u007f\\u0001"'],
  ['other text', 'ü 🎉 "', '"ü 🎉 \\""'],
])('extensions are YAML without raw %s', (_, value, yaml) => {
  const [extension] = decodedSchema({ 'x-note': value })
  const [name, content] = fieldsOf(extension)
  expect(textOf(name)).toBe('x-note')
  expect(fieldsOf(content).map(textOf)).toEqual([yaml])
})

test('content of more than the first buffer is kept', () => {
  const names = Array.from({ length: 500 }, (_, index) => `kind-${index}-${'x'.repeat(index)}`)
  const definitions = Object.fromEntries(names.map((name) => [name, { type: 'object' }]))
  const [all] = [...wireFields(encodeSwagger({ definitions }))]
  expect(fieldsOf(all).map((each) => textOf(fieldsOf(each)[0]))).toEqual(names)
})

test('keys that the format does not have are ignored', () => {
  expect(decodedSchema({ nullable: true, __proto__: 'a', constructor: 'b' })).toEqual([])
})

test('parameters of a location that is never used are an error', () => {
  const paths = { '/a': { parameters: [{ in: 'cookie', name: 'a' }] } }
  expect(() => encodeSwagger({ paths })).toThrow('parameters in cookie cannot be encoded')
})

function decodedSchema(schema: object): WireField[] {
  const [definitions] = [...wireFields(encodeSwagger({ definitions: { a: schema } }))]
  const [named] = fieldsOf(definitions)
  return fieldsOf(fieldsOf(named)[1])
}

function fieldsOf(field: WireField | undefined): WireField[] {
  if (field === undefined || !('bytes' in field)) throw new Error('not a message')
  return [...wireFields(field.bytes)]
}

function textOf(field: WireField | undefined): string {
  if (field === undefined || !('bytes' in field)) throw new Error('not a string')
  return Buffer.from(field.bytes).toString()
}
