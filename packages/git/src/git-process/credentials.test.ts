import { describe, expect, test } from 'vitest'
import { checkConnection } from './connection.ts'
import { credentialsFrom } from './credentials.ts'

describe('credentials from named values', () => {
  test.each([
    {
      because: 'the names of Kubernetes',
      values: { 'ssh-privatekey': 'K', 'ssh-password': 'p' },
      credentials: { kind: 'ssh', privateKey: 'K', passphrase: 'p' },
    },
    {
      because: "Flux's names, where the password opens the key",
      values: { identity: 'K', password: 'p' },
      credentials: { kind: 'ssh', privateKey: 'K', passphrase: 'p' },
    },
    {
      because: 'a passphrase, with the line end that editors add and the blank that they do not',
      values: { identity: 'K', password: ' p \n' },
      credentials: { kind: 'ssh', privateKey: 'K', passphrase: ' p ' },
    },
    {
      because: "Argo CD's name",
      values: { sshPrivateKey: 'K' },
      credentials: { kind: 'ssh', privateKey: 'K' },
    },
    {
      because: 'a key comes before a password',
      values: { username: 'u', 'ssh-privatekey': 'K' },
      credentials: { kind: 'ssh', privateKey: 'K' },
    },
    {
      because: 'a password, with the line end that editors add',
      values: { username: 'u', password: 'p\n' },
      credentials: { kind: 'basic', username: 'u', password: 'p' },
    },
    {
      because: 'a password alone, as Azure DevOps takes it',
      values: { password: 'p' },
      credentials: { kind: 'basic', username: '', password: 'p' },
    },
    {
      because: 'a bearer token',
      values: { bearerToken: 't' },
      credentials: { kind: 'bearer', token: 't' },
    },
  ])('$because', ({ values, credentials }) => {
    expect(credentialsFrom(values)).toEqual(credentials)
  })

  test.each([
    { because: 'a user name alone', values: { username: 'u' } },
    { because: 'an empty password', values: { username: 'u', password: ' ' } },
    { because: 'an empty token', values: { bearerToken: '' } },
    { because: 'other names', values: { key: 'x' } },
    { because: 'nothing', values: {} },
  ])('refuses $because', ({ values }) => {
    expect(() => credentialsFrom(values)).toThrow(expect.objectContaining({ code: 'refused' }))
  })
})

describe('a connection is refused before anything is started', () => {
  const key = { kind: 'ssh', privateKey: 'K' } as const
  const password = { kind: 'basic', username: 'u', password: 'p' } as const
  const knownHosts = `git.test ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(42)}g\n`

  test.each([
    { because: 'SSH without host keys', code: 'host-key', url: 'git@git.test:a', credentials: key },
    {
      because: 'SSH with an empty list',
      code: 'host-key',
      url: 'git@git.test:a',
      credentials: key,
      knownHosts: '# none\n',
    },
    {
      because: 'SSH with garbage among the host keys',
      code: 'host-key',
      url: 'git@git.test:a',
      credentials: key,
      knownHosts: `${knownHosts}<html>\n`,
    },
    {
      because: 'SSH with a host key of another type than it says',
      code: 'host-key',
      url: 'git@git.test:a',
      credentials: key,
      knownHosts: knownHosts.replace('ssh-ed25519', 'ssh-rsa'),
    },
    {
      because: 'SSH with a password',
      code: 'refused',
      url: 'git@git.test:a',
      credentials: password,
      knownHosts,
    },
    {
      because: 'HTTPS with an SSH key',
      code: 'refused',
      url: 'https://git.test/a',
      credentials: key,
    },
    {
      because: 'a password over HTTP',
      code: 'refused',
      url: 'http://git.test/a',
      credentials: password,
    },
    {
      because: 'HTTP to another machine, even where loopback is allowed',
      code: 'refused',
      url: 'http://git.test/a',
      credentials: password,
      allow: { loopbackHttp: true },
    },
    {
      because: 'HTTP to this machine, unless allowed',
      code: 'refused',
      url: 'http://127.0.0.1/a',
      credentials: password,
    },
    {
      because: 'a file, unless allowed',
      code: 'refused',
      url: 'file:///srv/a',
      credentials: { kind: 'none' } as const,
    },
    {
      because: 'a header smuggled in by a token',
      code: 'refused',
      url: 'https://git.test/a',
      credentials: { kind: 'bearer', token: 'x\nHost: y' } as const,
    },
  ])('$because', ({ code, because: _because, ...connection }) => {
    expect(() => checkConnection(connection)).toThrow(expect.objectContaining({ code }))
  })

  test('and let through where all is well', () => {
    expect(checkConnection({ url: 'git@git.test:a', credentials: key, knownHosts }).host).toBe(
      'git.test',
    )
    expect(checkConnection({ url: 'https://git.test/a', credentials: password }).host).toBe(
      'git.test',
    )
  })
})
