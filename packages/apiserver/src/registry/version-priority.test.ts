import { expect, test } from 'vitest'
import { compareVersions } from './version-priority.ts'

test('versions are sorted from the most to the least stable', () => {
  const wanted = [
    'v10',
    'v2',
    'v1',
    'v3beta1',
    'v1beta10',
    'v1beta2',
    'v1alpha1',
    'bar',
    'foo10',
    'v0',
    'v1gamma1',
  ]
  expect(wanted.toReversed().sort(compareVersions)).toEqual(wanted)
})
