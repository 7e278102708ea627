import { describe, expect, test } from 'vitest'
import { createSecretMask } from '../../../run-contract/secrets/secret-mask.ts'
import type { PodOutput } from '../../jobs/output/pod-output.ts'
import { readOutputs } from './tool-outputs.ts'

const open: PodOutput = { kind: 'maskable', mask: createSecretMask([]) }

describe('the outputs of a tool', () => {
  test('are any JSON object, and nothing if the file is empty', () => {
    const text = '{"a":"x","b":[1,true,null],"c":{"d":12345678901234567890}}'
    expect(readOutputs(text, open).outputs).toMatchObject({ a: 'x', b: [1, true, null] })
    expect(readOutputs(' \n', open)).toEqual({})
  })

  test.each([
    { because: 'a list has no names', text: '["a"]' },
    { because: 'a text is no object', text: '"a"' },
    { because: 'null is no object', text: 'null' },
    { because: 'plain text is no JSON', text: 'done' },
    { because: 'binary data is no JSON', text: '\u0000\uFFFD\u0001' },
    { because: 'a number that JSON does not have', text: '{"a":NaN}' },
    { because: 'the prototype of an object is no output', text: '{"__proto__":{"a":1}}' },
    { because: 'a template could not name it', text: '{"a.b":1}' },
    { because: 'an empty name', text: '{"":1}' },
    { because: 'a node would have cut more', text: `{"a":"${'x'.repeat(4090)}"}` },
  ])('are refused without quoting the file: $because', ({ text }) => {
    const read = readOutputs(text, open)
    expect(read.outputs).toBeUndefined()
    expect(read.fault).toContain('the file $TOOL_OUTPUTS')
    expect(read.fault).not.toContain('xxxx')
  })

  test('that are nested deeply are read', () => {
    const depth = 1500
    const text = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(readOutputs(text, open).fault).toBeUndefined()
  })

  test('do not change the prototype of anything by a nested name', () => {
    const { outputs } = readOutputs('{"a":{"__proto__":{"polluted":true}}}', open)
    expect(Object.hasOwn(outputs?.a as object, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(outputs?.a)).toBe(Object.prototype)
  })

  test('are masked in texts, names and numbers, at any depth', () => {
    const mask = createSecretMask([Buffer.from('hunter2-secret'), Buffer.from('8675309')])
    const text = '{"a":[{"hunter2-secret":"is hunter2-secret"}],"b":8675309,"c":"ok"}'
    const { outputs } = readOutputs(text, { kind: 'maskable', mask })
    const shown = JSON.stringify(outputs)
    expect(shown).not.toContain('hunter2-secret')
    expect(shown).not.toContain('8675309')
    expect(outputs?.c).toBe('ok')
  })

  test.each([
    { because: 'a Secret changed', output: { ...open, changed: 'token' } },
    { because: 'a Secret cannot be masked', output: { kind: 'hidden', because: 'output hidden' } },
  ] as const)('are not shown if $because', ({ output }) => {
    const read = readOutputs('{"a":"value"}', output)
    expect(read.outputs).toBeUndefined()
    expect(read.fault).toContain('cannot be shown')
  })
})
