import { describe, expect, test } from 'vitest'
import { type DoctorValues, requestsChecks } from './requested-checks.ts'

const nothing: DoctorValues = {
  ...{ http: [], grpc: [], rbac: false, rules: undefined, crds: false, timeout: undefined },
  ...{ kubeconfig: undefined, context: undefined, namespace: undefined, 'state-dir': undefined },
}

describe('a doctor command line', () => {
  test.each<{ because: string; values: Partial<DoctorValues>; asks: boolean }>([
    { because: 'everything is checked', values: {}, asks: false },
    { because: 'a URL is given', values: { http: ['http://a'] }, asks: true },
    { because: 'a timeout is given', values: { crds: true, timeout: '2m' }, asks: true },
    { because: 'rules are given', values: { rbac: true, rules: '[]' }, asks: true },
  ])('requests specific checks: $asks, because $because', ({ values, asks }) => {
    expect(requestsChecks({ ...nothing, ...values })).toBe(asks)
  })

  test.each<{ because: string; values: Partial<DoctorValues>; says: string }>([
    {
      because: 'the rules would not be checked',
      values: { rules: '[]' },
      says: '--rules requires --rbac',
    },
    {
      because: 'the rules do not apply to the requested checks',
      values: { crds: true, rules: '[]' },
      says: '--rules requires --rbac',
    },
    {
      because: 'no check would be repeated',
      values: { timeout: '2m' },
      says: '--timeout requires',
    },
  ])('is rejected, because $because', ({ values, says }) => {
    expect(() => requestsChecks({ ...nothing, ...values })).toThrow(says)
  })
})
