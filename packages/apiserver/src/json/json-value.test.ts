import type { Json } from '@agents/crd'
import { sameJson } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copyJson, isObject, member, setMember } from './json-value.ts'

const json = fc.jsonValue() as fc.Arbitrary<Json>

describe('a JSON value', () => {
  test('equals its copy, which shares nothing with it', () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = copyJson(value)
        expect(sameJson(copy, value)).toBe(true)
        if (isObject(value)) expect(copy).not.toBe(value)
      }),
    )
  })

  test('may have keys with the names of inherited properties', () => {
    const hostile = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')
    const copy = copyJson(hostile) as Record<string, Json>
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(member({}, 'constructor')).toBeUndefined()
    const target: Record<string, Json> = {}
    setMember(target, '__proto__', 'x')
    expect(member(target, '__proto__')).toBe('x')
  })
})
