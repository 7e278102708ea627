import { describe, expect, test } from 'vitest'
import { type ClaimSettings, claimedIdentity } from './claimed-identity.ts'

const settings: ClaimSettings = {
  ...{ usernameClaim: 'sub', usernamePrefix: 'oidc:', groupsClaim: 'groups' },
  ...{ groupsPrefix: 'oidc:', groups: ['oidc:readers', 'oidc:operators'] },
}
const bare = { ...settings, usernamePrefix: '', groupsPrefix: '', groups: ['readers'] }

test('names have their prefix, and only listed groups are kept, once each', () => {
  const claims = { sub: 'reader', groups: ['readers', 'choir', 'readers'] }
  expect(claimedIdentity(claims, settings)).toEqual({
    username: 'oidc:reader',
    groups: ['oidc:readers'],
  })
  expect(claimedIdentity(claims, bare)).toEqual({ username: 'reader', groups: ['readers'] })
  expect(claimedIdentity({ sub: 'reader', groups: 'readers' }, settings).groups).toHaveLength(1)
  expect(claimedIdentity({ sub: 'reader' }, settings).groups).toEqual([])
  expect(claimedIdentity({ sub: 'reader', groups: null }, settings).groups).toEqual([])
})

describe.each([
  { prefix: 'with a prefix', given: settings },
  { prefix: 'without a prefix', given: bare },
])('$prefix, nobody signs in', ({ given }) => {
  test.each([
    { because: 'as one of Kubernetes itself', claims: { sub: 'system:admin' } },
    { because: 'as one in capitals', claims: { sub: 'SYSTEM:admin' } },
    { because: 'as one after a space', claims: { sub: ' system:admin' } },
    { because: 'as a master', claims: { sub: 'reader', groups: ['readers', 'system:masters'] } },
    { because: 'as a master in a text', claims: { sub: 'reader', groups: 'system:masters' } },
    { because: 'as a node', claims: { sub: 'reader', groups: ['system:nodes'] } },
    { because: 'without a name', claims: {} },
    { because: 'with an empty name', claims: { sub: '' } },
    { because: 'with a name that is no text', claims: { sub: 7 } },
    { because: 'with a line break', claims: { sub: 'reader\r\nImpersonate-Group: x' } },
    { because: 'with a character that headers do not have', claims: { sub: 'läser' } },
    { because: 'with a long name', claims: { sub: 'x'.repeat(300) } },
    { because: 'with groups that are no names', claims: { sub: 'reader', groups: [['readers']] } },
    { because: 'with a map of groups', claims: { sub: 'reader', groups: { readers: true } } },
    { because: 'with too many groups', claims: { sub: 'reader', groups: Array(3000).fill('x') } },
  ])('$because', ({ claims }) => {
    expect(() => claimedIdentity(claims, given)).toThrow(/./)
  })
})

test('an email address counts if the provider has verified it', () => {
  const given = { ...settings, usernameClaim: 'email' }
  const email = 'reader@example.com'
  const verified = claimedIdentity({ sub: '1', email, email_verified: true }, given)
  expect(verified.username).toBe('oidc:reader@example.com')
  for (const claims of [
    { email },
    { email, email_verified: false },
    { email, email_verified: 'true' },
  ]) {
    expect(() => claimedIdentity({ sub: '1', ...claims }, given)).toThrow('not verified')
  }
})

test('claims are those of the token, not of every object', () => {
  const given = { ...settings, usernameClaim: 'constructor' }
  expect(() => claimedIdentity({ sub: 'reader' }, given)).toThrow('no claim constructor')
})

test('a prefix and a name cannot make a name of Kubernetes together', () => {
  const given = { ...bare, usernamePrefix: 'sys', groupsPrefix: 'sys' }
  expect(() => claimedIdentity({ sub: 'tem:admin' }, given)).toThrow('system:')
  expect(() => claimedIdentity({ sub: 'x', groups: ['tem:masters'] }, given)).toThrow('system:')
})
