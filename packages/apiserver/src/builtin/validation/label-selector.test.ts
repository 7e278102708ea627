import { expect, test } from 'vitest'
import { selectorMatches } from './label-selector.ts'

function matches(operator: string, key: string, labels: Record<string, string>): boolean {
  return selectorMatches({ matchExpressions: [{ key, operator }] }, labels)
}

test.each(['app', 'constructor', 'toString'])('the label %s exists only if it is set', (key) => {
  expect(matches('Exists', key, {})).toBe(false)
  expect(matches('DoesNotExist', key, {})).toBe(true)
  expect(matches('Exists', key, { [key]: '' })).toBe(true)
  expect(matches('DoesNotExist', key, { [key]: '' })).toBe(false)
})
