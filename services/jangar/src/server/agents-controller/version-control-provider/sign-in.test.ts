import type { VersionControlProvider } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { readSignIn } from './sign-in.ts'
import { vcsTokenSecret } from './vcs-token-secret.ts'

type Spec = VersionControlProvider['spec']

const secretRef = { name: 's' }
const app = { appId: 7, installationId: '8', privateKeySecretRef: secretRef }

const rows: { because: string; spec: Spec; expected: unknown }[] = [
  {
    because: 'without auth nothing is signed in to',
    spec: { provider: 'gitlab' },
    expected: { method: 'none' },
  },
  {
    because: 'a token Secret is enough to mean a token',
    spec: { provider: 'github', auth: { token: { secretRef } } },
    expected: {
      method: 'token',
      username: 'x-access-token',
      secret: { name: 's', key: 'token' },
      type: 'fine_grained',
    },
  },
  {
    because: 'a user name of one’s own wins, and a generic token has no type',
    spec: { provider: 'generic', auth: { username: 'me', token: { secretRef } } },
    expected: {
      method: 'token',
      username: 'me',
      secret: { name: 's', key: 'token' },
      type: undefined,
    },
  },
  {
    because: 'the key of an app is enough to mean an app, and numbers may be texts',
    spec: { provider: 'github', auth: { app } },
    expected: {
      method: 'app',
      username: 'x-access-token',
      appId: '7',
      installationId: '8',
      privateKey: { name: 's', key: 'privateKey' },
      tokenTtlSeconds: 3600,
    },
  },
  {
    because: 'numbers beyond 2^53 arrive as bigint',
    spec: {
      provider: 'github',
      auth: { app: { ...app, installationId: 9007199254740993n as unknown as number } },
    },
    expected: { method: 'app', installationId: '9007199254740993' },
  },
  {
    because: 'an SSH key is enough to mean SSH',
    spec: {
      provider: 'gitea',
      auth: { ssh: { privateKeySecretRef: secretRef, knownHostsConfigMapRef: { name: 'h' } } },
    },
    expected: {
      method: 'ssh',
      privateKey: { name: 's', key: 'privateKey' },
      knownHosts: { name: 'h', key: 'known_hosts' },
    },
  },
  ...(['gitlab', 'bitbucket', 'gitea', 'generic'] as const).map((provider) => ({
    because: `${provider} has no apps`,
    spec: { provider, auth: { method: 'app', app } } satisfies Spec,
    expected: { reason: 'UnsupportedAuth' },
  })),
  ...(
    [
      ['github', 'api_token'],
      ['gitlab', 'fine_grained'],
      ['bitbucket', 'pat'],
      ['gitea', 'pat'],
    ] as const
  ).map(([provider, type]) => ({
    because: `${provider} has no tokens of type ${type}`,
    spec: { provider, auth: { token: { secretRef, type } } } satisfies Spec,
    expected: { reason: 'UnsupportedAuth' },
  })),
  {
    because: 'a token is in a Secret',
    spec: { provider: 'github', auth: { method: 'token' } },
    expected: { reason: 'MissingSecretRef' },
  },
  {
    because: 'an SSH key is in a Secret',
    spec: { provider: 'github', auth: { method: 'ssh' } },
    expected: { reason: 'MissingSecretRef' },
  },
  ...(['appId', 'installationId', 'privateKeySecretRef'] as const).map((field) => {
    const { [field]: _left, ...rest } = app
    return {
      because: `an app without ${field} cannot sign in`,
      spec: { provider: 'github', auth: { method: 'app', app: rest } } satisfies Spec,
      expected: { reason: 'MissingAppAuth' },
    }
  }),
  {
    because: 'an installation is a number: it becomes part of an address',
    spec: { provider: 'github', auth: { method: 'app', app: { ...app, installationId: '..' } } },
    expected: { reason: 'MissingAppAuth' },
  },
]

describe('how to sign in', () => {
  test.each(rows)('$because', ({ spec, expected }) => {
    const read = readSignIn(spec)
    expect('signIn' in read ? read.signIn : read.problem).toMatchObject(expected as object)
  })
})

describe('the Secret that holds the token', () => {
  const of = (spec: Spec) => vcsTokenSecret({ metadata: { name: 'hub' }, spec })

  test('is the one that the spec names', () => {
    const ref = { name: 's', key: 'k' }
    expect(of({ provider: 'github', auth: { token: { secretRef: ref } } })).toEqual(ref)
  })

  test('is one of the provider’s own for an app', () => {
    const held = of({ provider: 'github', auth: { app } })
    expect(held).toEqual({ name: expect.stringMatching(/^hub-app-token-/), key: 'token' })
  })

  test.each([
    { because: 'SSH has none', spec: { provider: 'github', auth: { method: 'ssh' } } as const },
    { because: 'without auth there is none', spec: { provider: 'github' } as const },
  ])('$because', ({ spec }) => {
    expect(of(spec)).toBeUndefined()
  })
})
