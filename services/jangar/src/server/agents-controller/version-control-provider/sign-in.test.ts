import type { VersionControlProvider } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { readSignIn } from './sign-in.ts'
import { vcsTokenSecret } from './vcs-token-secret.ts'

type Spec = VersionControlProvider['spec']

const secretRef = { name: 's' }
const app = { appId: 7, installationId: '8', privateKeySecretRef: secretRef }

const rows: { because: string; spec: Spec; expected: unknown }[] = [
  {
    because: 'without auth the method is none',
    spec: { provider: 'gitlab' },
    expected: { method: 'none' },
  },
  {
    because: 'a token Secret implies the method token',
    spec: { provider: 'github', auth: { token: { secretRef } } },
    expected: {
      method: 'token',
      username: 'x-access-token',
      secret: { name: 's', key: 'token' },
      type: 'fine_grained',
    },
  },
  {
    because: 'a configured user name takes precedence, and a generic token has no type',
    spec: { provider: 'generic', auth: { username: 'me', token: { secretRef } } },
    expected: {
      method: 'token',
      username: 'me',
      secret: { name: 's', key: 'token' },
      type: undefined,
    },
  },
  {
    because: 'the private key of an app implies the method app, and ids may be strings',
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
    because: 'ids beyond 2^53 are bigint values',
    spec: {
      provider: 'github',
      auth: { app: { ...app, installationId: 9007199254740993n as unknown as number } },
    },
    expected: { method: 'app', installationId: '9007199254740993' },
  },
  {
    because: 'an SSH key implies the method ssh',
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
    because: `${provider} does not support apps`,
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
    because: `${provider} does not support tokens of type ${type}`,
    spec: { provider, auth: { token: { secretRef, type } } } satisfies Spec,
    expected: { reason: 'UnsupportedAuth' },
  })),
  {
    because: 'a token requires a Secret',
    spec: { provider: 'github', auth: { method: 'token' } },
    expected: { reason: 'MissingSecretRef' },
  },
  {
    because: 'an SSH key requires a Secret',
    spec: { provider: 'github', auth: { method: 'ssh' } },
    expected: { reason: 'MissingSecretRef' },
  },
  {
    because: 'SSH requires trusted host keys',
    spec: { provider: 'github', auth: { ssh: { privateKeySecretRef: secretRef } } },
    expected: { reason: 'MissingKnownHosts' },
  },
  ...(['appId', 'installationId', 'privateKeySecretRef'] as const).map((field) => {
    const { [field]: _left, ...rest } = app
    return {
      because: `an app requires ${field}`,
      spec: { provider: 'github', auth: { method: 'app', app: rest } } satisfies Spec,
      expected: { reason: 'MissingAppAuth' },
    }
  }),
  {
    because: 'an installation id must be numeric, since it becomes part of a URL',
    spec: { provider: 'github', auth: { method: 'app', app: { ...app, installationId: '..' } } },
    expected: { reason: 'MissingAppAuth' },
  },
]

describe('authentication', () => {
  test.each(rows)('$because', ({ spec, expected }) => {
    const read = readSignIn(spec)
    expect('signIn' in read ? read.signIn : read.problem).toMatchObject(expected as object)
  })
})

describe('the Secret with the token', () => {
  const of = (spec: Spec) => vcsTokenSecret({ metadata: { name: 'hub' }, spec })

  test('is the one in the spec', () => {
    const ref = { name: 's', key: 'k' }
    expect(of({ provider: 'github', auth: { token: { secretRef: ref } } })).toEqual(ref)
  })

  test('is created by the controller for an app', () => {
    const held = of({ provider: 'github', auth: { app } })
    expect(held).toEqual({ name: expect.stringMatching(/^hub-app-token-/), key: 'token' })
  })

  test.each([
    {
      because: 'does not exist for SSH',
      spec: { provider: 'github', auth: { method: 'ssh' } } as const,
    },
    { because: 'does not exist without auth', spec: { provider: 'github' } as const },
  ])('$because', ({ spec }) => {
    expect(of(spec)).toBeUndefined()
  })
})
