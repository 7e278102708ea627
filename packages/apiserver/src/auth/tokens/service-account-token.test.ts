import { sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createKeyMaterial } from '../pki/key-material.ts'
import { defaultIssuer, serviceAccountTokens, type TokenSubjects } from './service-account-token.ts'

const now = new Date('2026-06-01T00:00:00Z')
const keys = createKeyMaterial(now)
const tokens = serviceAccountTokens(keys.serviceAccountKey)
const runner = { namespace: 'agents', name: 'runner', uid: 'uid-1' }
const everythingThere: TokenSubjects = {
  serviceAccountUid: () => 'uid-1',
  boundObjectUid: (_, { uid }) => uid,
}
function issue(subject = {}, options = {}) {
  return tokens.issue(
    { ...runner, ...subject },
    { audiences: [defaultIssuer], seconds: 600, now, ...options },
  )
}
function check(token: string, options = {}) {
  return tokens.verify(token, {
    audiences: [defaultIssuer],
    now,
    subjects: everythingThere,
    ...options,
  })
}

describe('a service-account token', () => {
  test('identifies its service account', () => {
    const { token, expiresAt } = issue()
    expect(expiresAt).toEqual(new Date('2026-06-01T00:10:00Z'))
    expect(check(token)?.user).toEqual({
      name: 'system:serviceaccount:agents:runner',
      uid: 'uid-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:agents', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [
          expect.stringMatching(/^JTI=[0-9a-f-]{36}$/),
        ],
      },
    })
  })

  test('contains the pod that it is bound to', () => {
    const bound = { kind: 'Pod', name: 'run-1', uid: 'uid-2' } as const
    expect(check(issue({ bound }).token)?.user.extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': ['run-1'],
      'authentication.kubernetes.io/pod-uid': ['uid-2'],
    })
  })

  test('is valid for its audiences only', () => {
    const { token } = issue({}, { audiences: ['vault', 'registry'] })
    expect(check(token, { audiences: ['registry', 'other'] })?.audiences).toEqual(['registry'])
    expect(check(token)).toBeUndefined()
  })

  test.each(['exp', 'nbf', 'iat'])(
    'is rejected without %s even if its signature is valid',
    (claim) => {
      const [header, body = ''] = issue().token.split('.')
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
      const signed = (content: object): string => {
        const input = `${header}.${Buffer.from(JSON.stringify(content)).toString('base64url')}`
        const key = { key: keys.serviceAccountKey, dsaEncoding: 'ieee-p1363' } as const
        return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
      }
      expect(check(signed(claims))).toBeDefined()
      expect(check(signed({ ...claims, [claim]: undefined }))).toBeUndefined()
      expect(check(signed({ ...claims, [claim]: 'never' }))).toBeUndefined()
    },
  )

  const another = serviceAccountTokens(createKeyMaterial(now).serviceAccountKey)
  test.each([
    { because: 'it has expired', options: { now: new Date('2026-06-01T00:10:00Z') } },
    { because: 'it is not valid yet', options: { now: new Date('2026-05-31T23:59:59Z') } },
    {
      because: 'its service account is deleted',
      options: { subjects: { ...everythingThere, serviceAccountUid: () => undefined } },
    },
    {
      because: 'its service account is another one of the same name',
      options: { subjects: { ...everythingThere, serviceAccountUid: () => 'uid-9' } },
    },
    {
      because: 'the pod that it is bound to is deleted',
      subject: { bound: { kind: 'Pod', name: 'run-1', uid: 'uid-2' } },
      options: { subjects: { ...everythingThere, boundObjectUid: () => undefined } },
    },
  ])('is rejected when $because', ({ subject = {}, options }) => {
    expect(check(issue(subject).token)).toBeDefined()
    expect(check(issue(subject).token, options)).toBeUndefined()
  })

  test('is rejected if it was signed by another key, was changed, or is not a token', () => {
    const { token } = issue()
    const [header, body, signature] = token.split('.')
    const forged = Buffer.from(JSON.stringify({ sub: 'system:admin' })).toString('base64url')
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    expect(
      another.verify(token, { audiences: [defaultIssuer], now, subjects: everythingThere }),
    ).toBeUndefined()
    expect(check(`${header}.${forged}.${signature}`)).toBeUndefined()
    expect(check(`${unsigned}.${body}.`)).toBeUndefined()
    expect(check(`${token}.x`)).toBeUndefined()
    expect(check('not a token')).toBeUndefined()
  })
})
