import { describe, expect, test } from 'vitest'
import { type AskedValues, asksForChecks } from './examine-asked.ts'

const nothing: AskedValues = {
  ...{ http: [], grpc: [], rbac: false, rules: undefined, crds: false, timeout: undefined },
  ...{ kubeconfig: undefined, context: undefined, namespace: undefined, 'state-dir': undefined },
}

describe('a line for doctor', () => {
  test.each<{ because: string; values: Partial<AskedValues>; asks: boolean }>([
    { because: 'everything is looked at', values: {}, asks: false },
    { because: 'a URL is named', values: { http: ['http://a'] }, asks: true },
    { because: 'there is time for it', values: { crds: true, timeout: '2m' }, asks: true },
    { because: 'rules are given', values: { rbac: true, rules: '[]' }, asks: true },
  ])('asks for checks of its own: $asks, because $because', ({ values, asks }) => {
    expect(asksForChecks({ ...nothing, ...values })).toBe(asks)
  })

  test.each<{ because: string; values: Partial<AskedValues>; says: string }>([
    {
      because: 'nobody would hold anybody to the rules',
      values: { rules: '[]' },
      says: '--rules says nothing without --rbac',
    },
    {
      because: 'the rules are not of these checks',
      values: { crds: true, rules: '[]' },
      says: '--rules says nothing without --rbac',
    },
    { because: 'nothing would be repeated', values: { timeout: '2m' }, says: '--timeout needs' },
  ])('is refused, because $because', ({ values, says }) => {
    expect(() => asksForChecks({ ...nothing, ...values })).toThrow(says)
  })
})
