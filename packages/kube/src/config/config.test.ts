import { describe, expect, test } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import type { ConfigEffects } from './effects.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import { loadInCluster } from './load-in-cluster.ts'
import { kubeconfigPaths, loadKubeconfig } from './load-kubeconfig.ts'

function pem(name: string): string {
  return `-----BEGIN ${name}-----\n-----END ${name}-----\n`
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64')
}

interface Machine extends ConfigEffects {
  files: Record<string, string>
  time: number
  ran: { command: string; args: readonly string[]; env: Record<string, string | undefined> }[]
  output: string
}

function machine(files: Record<string, string> = {}): Machine {
  const self: Machine = {
    files,
    time: Date.parse('2026-01-01T00:00:00Z'),
    ran: [],
    output: '',
    environment: { PATH: '/bin' },
    clock: { ...systemClock, now: () => new Date(self.time), elapsed: () => self.time },
    readFile: (path) => {
      const text = self.files[path]
      if (text !== undefined) return Promise.resolve(text)
      return Promise.reject(Object.assign(new Error(`no ${path}`), { code: 'ENOENT' }))
    },
    runCommand: (command, args, env) => {
      self.ran.push({ command, args, env })
      if (self.output === '') return Promise.reject(new Error('exit 1'))
      return Promise.resolve(self.output)
    },
  }
  return self
}

function config(cluster: object, user: object, context: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', ...context } }],
  })
}

describe('a kubeconfig', () => {
  test.each([
    { because: 'a token', user: { token: 't' }, authorization: 'Bearer t' },
    {
      because: 'a token file, which takes precedence',
      user: { token: 't', tokenFile: 'secrets/token' },
      authorization: 'Bearer from-file',
    },
    { because: 'an anonymous user', user: {}, authorization: undefined },
  ])('contains credentials: $because', async ({ user, authorization }) => {
    const effects = machine({
      '/home/.kube/config': config({}, user),
      '/home/.kube/secrets/token': 'from-file\n',
    })
    const found = await loadKubeconfig({ paths: ['/home/.kube/config'] }, effects)
    expect((await found.credentials?.current())?.authorization).toBe(authorization)
    expect(found.server).toBe('https://127.0.0.1:6443')
    expect(found.namespace).toBe('default')
  })

  test('contains certificates inline or in files', async () => {
    const effects = machine({ '/k/ca.crt': pem('CA'), '/k/key.pem': pem('KEY') })
    const user = { 'client-certificate-data': encoded(pem('CERT')), 'client-key': 'key.pem' }
    const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'api' }
    const text = config(cluster, user, { namespace: 'team' })
    const found = await loadKubeconfig({ text, directory: '/k' }, effects)
    expect(await found.tls?.authority?.()).toBe(pem('CA'))
    expect(found.tls?.serverName).toBe('api')
    expect(found.namespace).toBe('team')
    expect((await found.credentials?.current())?.clientCertificate).toEqual({
      certificate: pem('CERT'),
      key: pem('KEY'),
    })
  })

  test('may be several files, of which the first value wins', async () => {
    const one = JSON.stringify({
      'current-context': 'second',
      users: [{ name: 'u', user: { token: 'one' } }],
    })
    const two = JSON.stringify({
      'current-context': 'first',
      users: [{ name: 'u', user: { token: 'two' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://two' } }],
      contexts: [{ name: 'second', context: { cluster: 'c', user: 'u' } }],
    })
    const effects = machine({ '/one': one, '/two': two })
    const found = await loadKubeconfig({ paths: ['/one', '/missing', '/two'] }, effects)
    expect(found.server).toBe('https://two')
    expect((await found.credentials?.current())?.authorization).toBe('Bearer one')
  })

  test('is read from the paths that kubectl reads', () => {
    expect(kubeconfigPaths({}, '/home/me')).toEqual(['/home/me/.kube/config'])
    expect(kubeconfigPaths({ KUBECONFIG: '/a::/b:/a' }, '/home/me')).toEqual(['/a', '/b'])
  })

  test('can impersonate another user', async () => {
    const user = { token: 't', as: 'other', 'as-groups': ['g'] }
    const found = await loadKubeconfig({ text: config({}, user) }, machine())
    expect(found.impersonate).toEqual({ user: 'other', groups: ['g'] })
  })

  test('sends no credentials over plain HTTP', async () => {
    const text = config({ server: 'http://127.0.0.1:8080' }, { token: 't' })
    expect(await loadKubeconfig({ text }, machine())).toEqual({
      server: 'http://127.0.0.1:8080',
      namespace: 'default',
    })
  })

  test.each([
    { because: 'an unknown context', text: config({}, {}), context: 'x', message: 'no context x' },
    { because: 'invalid YAML', text: '\t{', message: 'not valid YAML' },
    { because: 'a list', text: '[]', message: 'not a mapping' },
    { because: 'empty', text: '', message: 'no current context' },
    { because: 'no server', text: config({ server: '' }, {}), message: 'no usable server' },
    {
      because: 'basic auth',
      text: config({}, { username: 'a', password: 'b' }),
      message: 'username and password',
    },
    {
      because: 'a proxy',
      text: config({ 'proxy-url': 'http://p' }, {}),
      message: 'proxy-url is not supported',
    },
    {
      because: 'an auth provider',
      text: config({}, { 'auth-provider': {} }),
      message: 'auth-provider',
    },
    {
      because: 'half a certificate',
      text: config({}, { 'client-key-data': encoded(pem('K')) }),
      message: 'must both be set',
    },
    {
      because: 'a missing file',
      text: config({ 'certificate-authority': '/nowhere' }, {}),
      message: '/nowhere',
    },
    {
      because: 'invalid PEM',
      text: config({ 'certificate-authority-data': 'eA==' }, {}),
      message: 'not base64-encoded PEM',
    },
    {
      because: 'a certificate authority together with insecure-skip-tls-verify',
      text: config(
        { 'certificate-authority-data': encoded(pem('CA')), 'insecure-skip-tls-verify': true },
        {},
      ),
      message: 'cannot both be set',
    },
    {
      because: 'a plugin with an unknown API version',
      text: config({}, { exec: { apiVersion: 'v7' } }),
      message: 'v7',
    },
  ])('is rejected: $because', async ({ text, context, message }) => {
    const loading = loadKubeconfig({ text }, machine(), { context })
    await expect(loading).rejects.toBeInstanceOf(KubeconfigError)
    await expect(loading).rejects.toThrow(message)
  })

  test('that does not exist is rejected', async () => {
    await expect(loadKubeconfig({ paths: ['/nowhere'] }, machine())).rejects.toThrow('/nowhere')
  })
})

describe('a credential plugin', () => {
  const version = 'client.authentication.k8s.io/v1'
  const exec = {
    apiVersion: version,
    command: './bin/plugin',
    args: ['--now'],
    env: [{ name: 'EXTRA', value: '1' }],
    provideClusterInfo: true,
    installHint: 'Get it from the shelf.',
  }
  const answer = (status: object): string =>
    JSON.stringify({ apiVersion: version, kind: 'ExecCredential', status })
  const load = async (effects: Machine) => {
    const found = await loadKubeconfig({ text: config({}, { exec }), directory: '/k' }, effects)
    if (found.credentials === undefined) throw new Error('no credentials')
    return found.credentials
  }

  test('is run once, until its credentials expire or are rejected', async () => {
    const effects = machine()
    const source = await load(effects)
    effects.output = answer({ token: 'one', expirationTimestamp: '2026-01-01T01:00:00Z' })
    const first = await Promise.all([source.current(), source.current()])
    expect(first.map(({ authorization }) => authorization)).toEqual(['Bearer one', 'Bearer one'])
    expect(effects.ran).toHaveLength(1)
    expect(effects.ran[0]).toMatchObject({ command: '/k/bin/plugin', args: ['--now'] })
    expect(effects.ran[0]?.env).toMatchObject({ PATH: '/bin', EXTRA: '1' })
    expect(JSON.parse(effects.ran[0]?.env.KUBERNETES_EXEC_INFO ?? '')).toEqual({
      apiVersion: version,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://127.0.0.1:6443' } },
    })

    effects.output = answer({ token: 'two' })
    effects.time += 3_595_000
    expect((await source.current()).authorization).toBe('Bearer two')
    effects.output = answer({ clientCertificateData: 'C', clientKeyData: 'K' })
    expect((await source.current()).authorization).toBe('Bearer two')
    source.rejected()
    expect(await source.current()).toEqual({ clientCertificate: { certificate: 'C', key: 'K' } })
    expect(effects.ran).toHaveLength(3)
  })

  test.each([
    { because: 'it fails, with its install hint', output: '', message: 'Get it from the shelf.' },
    { because: 'invalid output', output: 'token: secret', message: 'no JSON object' },
    { because: 'another API version', output: answer({}).replace('/v1', '/v2'), message: version },
    { because: 'no credential', output: answer({}), message: 'no credential' },
  ])('is rejected: $because', async ({ output, message }) => {
    const effects = machine()
    effects.output = output
    const source = await load(effects)
    await expect(source.current()).rejects.toThrow(message)
    await expect(source.current()).rejects.not.toThrow('secret')
  })
})

describe('in a pod', () => {
  const environment = { KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: '443' }
  const files = { '/sa/token': 'one', '/sa/ca.crt': pem('CA'), '/sa/namespace': 'team' }

  test('token and authority are reread, the token at once if it is rejected', async () => {
    const effects = { ...machine(), environment }
    const box = machine({ ...files })
    const found = await loadInCluster(
      { ...effects, readFile: box.readFile, clock: box.clock },
      '/sa',
    )
    expect(found.server).toBe('https://[::1]:443')
    expect(found.namespace).toBe('team')
    const first = await found.credentials?.current()
    expect(first?.authorization).toBe('Bearer one')

    box.files['/sa/token'] = 'two'
    box.files['/sa/ca.crt'] = pem('CB')
    expect(await found.credentials?.current()).toBe(first)
    expect(await found.tls?.authority?.()).toBe(pem('CA'))
    found.credentials?.rejected()
    expect((await found.credentials?.current())?.authorization).toBe('Bearer two')
    expect(await found.tls?.authority?.()).toBe(pem('CA'))
    box.time += 60_000
    expect(await found.tls?.authority?.()).toBe(pem('CB'))
  })

  test('files that are missing for a moment change nothing', async () => {
    const box = machine({ ...files })
    const found = await loadInCluster({ ...box, environment }, '/sa')
    const first = await found.credentials?.current()
    box.files = {}
    box.time += 60_000
    expect(await found.credentials?.current()).toBe(first)
  })

  test.each([
    { because: 'no environment', environment: {}, files },
    { because: 'no token', environment, files: { '/sa/ca.crt': pem('CA') } },
    { because: 'an empty token', environment, files: { ...files, '/sa/token': '\n' } },
  ])('is rejected: $because', async ({ environment, files }) => {
    const loading = loadInCluster({ ...machine(files), environment }, '/sa')
    await expect(loading).rejects.toBeInstanceOf(KubeconfigError)
  })
})
