import { expect, test } from 'vitest'
import { hasAllVersions, hasVersion } from './rule-versions.ts'

const versions = new Map([['team/rule', { uid: 'u', generation: 2 }]])

test.each([
  ['the same generation', 'team/rule', { uid: 'u', generation: 2 }, true],
  ['an older generation', 'team/rule', { uid: 'u', generation: 1 }, true],
  ['a newer generation', 'team/rule', { uid: 'u', generation: 3 }, false],
  ['another object of the name', 'team/rule', { uid: 'other', generation: 1 }, false],
  ['another rule', '/rule', { uid: 'u', generation: 2 }, false],
])('%s', (_name, id, version, expected) => {
  expect(hasVersion(versions, id, version)).toBe(expected)
})

test('rules that were deleted since are not needed', () => {
  expect(hasAllVersions(versions, new Map())).toBe(true)
  expect(hasAllVersions(versions, versions)).toBe(true)
  expect(hasAllVersions(new Map(), versions)).toBe(false)
})
