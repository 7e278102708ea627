import { describe, expect, test } from 'vitest'
import {
  formatLabelSelector,
  matchesLabels,
  parseLabelSelector,
  requirementsOf,
  SelectorError,
} from './label-selector.ts'

describe('a label selector', () => {
  const labels = { app: 'web', tier: 'front', empty: '' }
  test.each([
    { because: 'nothing asked for matches all', text: '', matches: true },
    { because: 'equal', text: 'app=web', matches: true },
    { because: 'equal, the other way to write it', text: 'app == web', matches: true },
    { because: 'not equal', text: 'app!=web', matches: false },
    { because: 'not equal holds where there is no label', text: 'other!=web', matches: true },
    { because: 'all have to hold', text: 'app=web,tier=back', matches: false },
    { because: 'in', text: 'app in (api, web),tier', matches: true },
    { because: 'not in', text: 'app notin (api,web)', matches: false },
    { because: 'not in holds where there is no label', text: 'other notin (api)', matches: true },
    { because: 'exists', text: 'tier', matches: true },
    { because: 'absent', text: '!tier', matches: false },
    { because: 'an empty value is a value', text: 'empty=', matches: true },
    { because: 'names of every object are no labels', text: 'constructor', matches: false },
    { because: 'a key called in', text: 'in', matches: false },
  ])('$because: $text', ({ text, matches }) => {
    const requirements = parseLabelSelector(text)
    expect(matchesLabels(requirements, labels)).toBe(matches)
    const again = parseLabelSelector(formatLabelSelector(requirements))
    expect(matchesLabels(again, labels)).toBe(matches)
  })

  test.each(['a b', 'a=(b)', 'a in b', 'a,', ',a', 'a in (b', '=b', '!'])('is not %j', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(SelectorError)
  })

  test('is read from the form that objects hold', () => {
    const selector = {
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'NotIn' as const, values: ['back', 'middle'] },
        { key: 'gone', operator: 'DoesNotExist' as const },
      ],
    }
    const text = formatLabelSelector(requirementsOf(selector))
    expect(text).toBe('app=web,tier notin (back,middle),!gone')
    expect(matchesLabels(requirementsOf(selector), labels)).toBe(true)
  })
})
