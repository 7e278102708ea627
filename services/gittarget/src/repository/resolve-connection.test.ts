import { rootCertificates } from 'node:tls'
import type { GitProvider } from '@agents/gittarget-api'
import { describe, expect, test } from 'vitest'
import type { ObjectReader, Values } from '../kubernetes/object-reader.ts'
import { resolveConnection, signingKeyFrom } from './resolve-connection.ts'

const [certificate = ''] = rootCertificates

/** A valid known_hosts line of no real server. */
const hostKey = `git.test ssh-ed25519 ${Buffer.concat([
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('ssh-ed25519'),
  Buffer.alloc(36, 7),
]).toString('base64')}`

function reader(
  secrets: Record<string, Values>,
  configMaps: Record<string, Values> = {},
): ObjectReader {
  const from =
    (objects: Record<string, Values>) =>
    async ({ name }: { name: string }) =>
      objects[name] && { values: objects[name], version: '1' }
  return { secret: from(secrets), configMap: from(configMaps) }
}

function provider(spec: Partial<GitProvider['spec']>): GitProvider {
  return {
    metadata: { name: 'p', namespace: 'team' },
    spec: { url: 'https://git.test/a/b', ...spec },
  } as GitProvider
}

const secretRef = { name: 'credentials' }
const ssh = 'ssh://git@git.test/a/b'
const knownHostsRef = { kind: 'ConfigMap' as const, name: 'hosts', key: 'known_hosts' }
const signal = new AbortController().signal

const rows: readonly [
  Partial<GitProvider['spec']>,
  Record<string, Values>,
  Record<string, Values>,
  string,
  string,
][] = [
  [{}, {}, {}, 'none', 'no Secret is named'],
  [{ secretRef }, {}, {}, 'SecretNotFound', 'it does not exist'],
  [{ secretRef }, { credentials: {} }, {}, 'SecretMalformed', 'there is nothing in it'],
  [
    { secretRef },
    { credentials: { username: 'u' } },
    {},
    'SecretMalformed',
    'a name alone is no credential',
  ],
  [{ secretRef }, { credentials: { username: 'u', password: 'p' } }, {}, 'basic', 'that is one'],
  [{ secretRef }, { credentials: { bearerToken: 't' } }, {}, 'bearer', 'so is this'],
  [
    { secretRef },
    { credentials: { identity: 'k' } },
    {},
    'SecretMalformed',
    'an SSH key opens no HTTPS',
  ],
  [
    { secretRef },
    { credentials: { 'ca.crt': certificate } },
    {},
    'none',
    'whom to trust is worth a Secret of its own',
  ],
  [
    { secretRef },
    { credentials: { username: 'u', password: 'p', 'ca.crt': 'garbage' } },
    {},
    'SecretMalformed',
    'nobody could be trusted',
  ],
  [
    { url: 'http://127.0.0.1/a/b', secretRef },
    { credentials: { username: 'u', password: 'p' } },
    {},
    'basic',
    'nobody else is on the way to this machine',
  ],
  [
    { url: 'http://git.test/a/b', secretRef },
    { credentials: { username: 'u', password: 'p' } },
    {},
    'SecretMalformed',
    'everybody on the way could read the password',
  ],
  [
    { url: ssh, secretRef },
    { credentials: { identity: 'k' } },
    {},
    'KnownHostsMissing',
    'nobody could be trusted',
  ],
  [
    { url: ssh, secretRef },
    { credentials: { identity: 'k', known_hosts: 'garbage' } },
    {},
    'KnownHostsMissing',
    'a list that cannot be read is none',
  ],
  [
    { url: ssh, secretRef },
    { credentials: { identity: 'k', known_hosts: hostKey } },
    {},
    'ssh',
    'the hosts may be in the same Secret',
  ],
  [
    { url: ssh, secretRef, knownHostsRef },
    { credentials: { identity: 'k' } },
    {},
    'KnownHostsNotFound',
    'the ConfigMap is missing',
  ],
  [
    { url: ssh, secretRef, knownHostsRef },
    { credentials: { sshPrivateKey: 'k' } },
    { hosts: { known_hosts: hostKey } },
    'ssh',
    'or in a ConfigMap',
  ],
]

describe('resolveConnection', () => {
  test.each(rows)(
    '%j with %j and %j: %s, because %s',
    async (spec, secrets, configMaps, expected) => {
      const ports = { reader: reader(secrets, configMaps), allowFile: false }
      const resolved = await resolveConnection(provider(spec), ports, signal)
      expect(resolved.ok ? resolved.connection.credentials.kind : resolved.reason).toBe(expected)
    },
  )

  test.each(['ca.crt', 'caFile'])('passes on the certificate authorities of %s', async (name) => {
    const secrets = { credentials: { bearerToken: 't', [name]: certificate } }
    const ports = { reader: reader(secrets), allowFile: false }
    const resolved = await resolveConnection(provider({ secretRef }), ports, signal)
    expect(resolved).toMatchObject({ connection: { caCertificates: certificate } })
  })

  test.each([true, false])(
    'allows repositories on this machine only if configured: %s',
    async (allowFile) => {
      const local = provider({ url: 'http://127.0.0.1/a/b' })
      const resolved = await resolveConnection(local, { reader: reader({}), allowFile }, signal)
      expect(resolved).toMatchObject({
        connection: { allow: { file: allowFile, loopbackHttp: allowFile } },
      })
    },
  )

  test('never includes a credential in an error message', async () => {
    const secrets = { credentials: { identity: 'very-secret-key', password: 'very-secret-word' } }
    const resolved = await resolveConnection(
      provider({ secretRef }),
      { reader: reader(secrets), allowFile: false },
      signal,
    )
    expect(JSON.stringify(resolved)).not.toContain('very-secret')
  })
})

test.each<[Values, ReturnType<typeof signingKeyFrom>, string]>([
  [
    { 'ssh-privatekey': 'K', 'ssh-password': 'p\n' },
    { privateKey: 'K', passphrase: 'p' },
    'a file ends with a line break',
  ],
  [{ 'signing.key': 'K' }, { privateKey: 'K' }, 'not every key has a passphrase'],
  [{ password: 'p' }, undefined, 'a passphrase alone is not a key'],
])('%j has the signing key %j, because %s', (values, key) => {
  expect(signingKeyFrom(values)).toEqual(key)
})
