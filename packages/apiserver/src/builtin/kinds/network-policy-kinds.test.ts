import { describe, expect, test } from 'vitest'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { networkPolicyRules } from './network-policy-kinds.ts'

function errorsOf(rule: object): string[] {
  const policy = { metadata: { name: 'x' }, spec: { podSelector: {}, ingress: [rule] } }
  const errors = networkPolicyRules.validate?.(policy as unknown as BuiltinObject) ?? []
  return errors.map(({ field, message }) => `${field}: ${message}`)
}
function block(cidr: string, ...except: string[]): object {
  return {
    from: [{ ipBlock: { cidr, except } }],
  }
}

describe('a network policy', () => {
  const fine: readonly (readonly [because: string, rule: object])[] = [
    ['a block of either family', block('2001:db8::/32', '2001:db8:1::/48')],
    ['an exception of a block', block('10.0.0.0/8', '10.1.0.0/16')],
    [
      'selectors of pods and namespaces together',
      { from: [{ podSelector: {}, namespaceSelector: {} }] },
    ],
    ['a range of ports', { ports: [{ port: 80, endPort: 90 }] }],
    ['a named port', { ports: [{ port: 'http' }] }],
  ]
  test.each(fine)('may have %s', (_because, rule) => {
    expect(errorsOf(rule)).toEqual([])
  })

  const wrong: readonly (readonly [because: string, rule: object, error: string])[] = [
    [
      'an exception as large as its block',
      block('10.0.0.0/8', '10.0.0.0/8'),
      'must be a strict subset',
    ],
    [
      'an exception outside of its block',
      block('10.0.0.0/8', '11.0.0.0/16'),
      'must be a strict subset',
    ],
    ['an invalid exception', block('10.0.0.0/8', 'x'), 'must be a valid CIDR value'],
    ['a block without a prefix length', block('10.0.0.0'), 'must be a valid CIDR value'],
    ['a block with an invalid prefix length', block('10.0.0.0/33'), 'must be a valid CIDR value'],
    ['a missing block', { from: [{ ipBlock: {} }] }, 'Required value'],
    ['an empty peer', { from: [{}] }, 'must specify a peer'],
    [
      'a block together with a selector',
      { from: [{ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }] },
      'may not specify both ipBlock and another peer',
    ],
    ['a range that ends before it starts', { ports: [{ port: 80, endPort: 8 }] }, 'greater than'],
    ['a range without a start', { ports: [{ endPort: 8 }] }, '`port` is not specified'],
    [
      'a range that starts with a name',
      { ports: [{ port: 'a', endPort: 8 }] },
      '`port` is non-numeric',
    ],
    ['an invalid port', { ports: [{ port: 70_000 }] }, 'between 1 and 65535'],
  ]
  test.each(wrong)('may not have %s', (_because, rule, error) => {
    expect(errorsOf(rule)).toEqual([expect.stringContaining(error)])
  })
})
