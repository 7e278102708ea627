import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCertificate } from '../../packages/apiserver/src/auth/pki/certificate.ts'
import { createKeyMaterial } from '../../packages/apiserver/src/auth/pki/key-material.ts'
import { HttpRemote, type ServingCertificate } from '../../packages/git/src/testing/http-remote.ts'
import { commandLinesWith, filesWith } from '../../packages/git/src/testing/secret-scan.ts'
import { conditionsOf, GitProviderKind, type Team, TestBed, until } from '../gittarget/test-bed.ts'

const now = new Date()
/** Two authorities that no system knows, each with a server at 127.0.0.1. */
const [ours, others] = [createKeyMaterial(now), createKeyMaterial(now)] as const
const serving = ({ servingCertificate, servingKey }: typeof ours): ServingCertificate => ({
  cert: servingCertificate,
  key: servingKey,
})

const username = 'mirror'
const password = 'hunter2-password-of-the-repository'
const basic = (text: string): string =>
  `Basic ${Buffer.from(`${username}:${text}`).toString('base64')}`

let bed: TestBed
const servers: HttpRemote[] = []
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
}, 60_000)
afterAll(async () => {
  await bed.stop()
  for (const server of servers) await server.stop()
})

const secretRef = { name: 'login' }

/** A team whose repository is behind a server that wants to know who asks. */
const behind = async (
  namespace: string,
  certificate?: ServingCertificate,
): Promise<{ team: Team; server: HttpRemote }> => {
  const remote = await bed.remote()
  const server = new HttpRemote(remote.path, certificate)
  server.authorization = basic(password)
  servers.push(server)
  await server.start()
  const team = await bed.team(namespace, remote, { provider: { url: server.url, secretRef } })
  await team.watch(['configmaps'])
  await team.configMap('a', { version: '1' })
  return { team, server }
}

const provider = (team: Team) =>
  bed.client.get(GitProviderKind, { namespace: team.namespace, name: 'repository' })

const untilProvider = (team: Team, condition: string): Promise<void> =>
  until(async () => conditionsOf(await provider(team)).includes(condition))

const message = async (team: Team, condition: string): Promise<string> =>
  (await provider(team)).status?.conditions?.find(({ type }) => type === condition)?.message ?? ''

const isMirrored = (team: Team, version: string): Promise<void> =>
  team.untilFiles(
    (files) => files[team.path('configmaps', 'a')]?.includes(`version: "${version}"`) === true,
  )

describe('over HTTPS with a certificate of an authority of its own', () => {
  test('a provider says step by step what is wrong, and a target mirrors when nothing is', async () => {
    const { team } = await behind('https', serving(ours))
    await untilProvider(team, 'CredentialsResolved=False/SecretNotFound')

    await team.secret('login', { username, password: 'wrong-password' })
    await untilProvider(team, 'Reachable=False/CertificateNotTrusted')
    expect(await message(team, 'Reachable')).toMatch(
      /put the certificate of its authority into the Secret, under ca\.crt/,
    )
    await team.until('Bootstrapped=False/BootstrapFailed')

    await team.secret('login', { username, password, 'ca.crt': 'no certificate' })
    await untilProvider(team, 'CredentialsResolved=False/SecretMalformed')
    await team.until('Validated=False/ProviderNotFound')

    await team.secret('login', { username, password, 'ca.crt': others.caCertificate })
    await untilProvider(team, 'Reachable=False/CertificateNotTrusted')
    expect(await message(team, 'Reachable')).toMatch(/ca\.crt in the Secret do not vouch for/)
    // Another name for the same file at each try would be a write at each try.
    expect(await message(team, 'Reachable')).not.toMatch(/CAfile|ca\.pem/)
    await team.until('Bootstrapped=False/BootstrapFailed')

    const trusted = { username, 'ca.crt': ours.caCertificate }
    await team.secret('login', { ...trusted, password: 'wrong-password' })
    await untilProvider(team, 'Reachable=False/AuthenticationFailed')
    await team.until('Bootstrapped=False/BootstrapFailed')
    expect(await team.commits()).toBe(0)

    await team.secret('login', { ...trusted, password })
    await untilProvider(team, 'Ready=True/OK')
    await team.isReady()
    await isMirrored(team, '1')
  })

  test('a password that is changed while the mirror runs is told, and the new one is used at once', async () => {
    const { team, server } = await behind('password', serving(ours))
    await team.secret('login', { username, password, 'ca.crt': ours.caCertificate })
    await isMirrored(team, '1')
    server.authorization = basic('another-password')
    await team.configMap('a', { version: '2' })
    await team.until('SnapshotSynced=False/SnapshotFailed')
    await untilProvider(team, 'Reachable=False/AuthenticationFailed')
    await team.secret('login', { username, password: 'another-password' })
    await isMirrored(team, '2')
    await team.isReady()
    await untilProvider(team, 'Ready=True/OK')
  })

  test('so is an authority', async () => {
    const { team, server } = await behind('authority', serving(ours))
    await team.secret('login', { username, password, 'ca.crt': ours.caCertificate })
    await isMirrored(team, '1')
    server.show(serving(others))
    await team.configMap('a', { version: '2' })
    await team.until('SnapshotSynced=False/SnapshotFailed')
    await untilProvider(team, 'Reachable=False/CertificateNotTrusted')
    await team.secret('login', { 'ca.crt': ours.caCertificate + others.caCertificate })
    await isMirrored(team, '2')
    await team.isReady()
    await untilProvider(team, 'Ready=True/OK')
  })

  test('a certificate for another host is not trusted, whoever signed it', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const cert = createCertificate({
      subject: { commonName: 'git.test' },
      issuer: { commonName: 'agents-local-ca' },
      publicKey,
      issuerKey: createPrivateKey(ours.caKey),
      notBefore: new Date(now.getTime() - 60_000),
      notAfter: new Date(now.getTime() + 3_600_000),
      usage: 'server',
      dnsNames: ['git.test'],
    })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const { team, server } = await behind('host', { cert, key })
    await team.secret('login', { username, password, 'ca.crt': ours.caCertificate })
    await untilProvider(team, 'Reachable=False/CertificateNotTrusted')
    await team.until('Bootstrapped=False/BootstrapFailed')
    expect(server.requests).toEqual([])
  })

  test('a bearer token lets in too, and so does nothing at all where nothing is asked for', async () => {
    const { team, server } = await behind('token', serving(ours))
    server.authorization = 'Bearer hunter2-token'
    await team.secret('login', { bearerToken: 'hunter2-token', 'ca.crt': ours.caCertificate })
    await team.isReady()
    await isMirrored(team, '1')

    const open = await behind('open', serving(ours))
    open.server.authorization = undefined
    await open.team.secret('login', { 'ca.crt': ours.caCertificate })
    await open.team.isReady()
    await isMirrored(open.team, '1')
  })
})

test('a server that takes requests and never answers is told, holds up nobody, and is tried again', async () => {
  const { team, server } = await behind('hung')
  server.mode = 'hang'
  await team.secret('login', { username, password })
  await team.until('Bootstrapped=False/WorkerNotFound')
  const other = await behind('lively')
  await other.team.secret('login', { username, password })
  await other.team.isReady()
  await isMirrored(other.team, '1')
  server.mode = 'serve'
  await isMirrored(team, '1')
  await team.isReady()
})

test('over HTTP to this machine, where that is allowed', async () => {
  const { team } = await behind('http')
  await team.secret('login', { username, password })
  await team.isReady()
  await isMirrored(team, '1')
})

test('who has no password writes nothing, also where another team has one', async () => {
  const { team: owner, server } = await behind('owner')
  await owner.secret('login', { username, password })
  await isMirrored(owner, '1')
  const stranger = await bed.team('stranger', owner.remote, {
    provider: { url: server.url, secretRef },
    target: { path: 'strangers' },
    resources: ['configmaps'],
  })
  await stranger.configMap('a', { version: '1' })
  await stranger.secret('login', { username, password: 'wrong-password' })
  await stranger.until('Bootstrapped=False/BootstrapFailed')
  await owner.configMap('a', { version: '2' })
  await isMirrored(owner, '2')
  expect(Object.keys(await owner.files()).filter((path) => path.startsWith('strangers/'))).toEqual(
    [],
  )
  // With a password of its own it writes beside the other, and neither loses anything.
  await stranger.secret('login', { username, password })
  await stranger.isReady()
  await owner.configMap('a', { version: '3' })
  await isMirrored(owner, '3')
  const files = await owner.files()
  expect(files['strangers/stranger/core/configmaps/a.yaml']).toContain('version: "1"')
})

test('no password is anywhere but in the cluster', async () => {
  const secrets = [password, basic(password).slice(6), 'wrong-password', 'hunter2-token']
  const isIn = (text: string): string[] => secrets.filter((secret) => text.includes(secret))
  expect(bed.log.length).toBeGreaterThan(10)
  expect(isIn(bed.log.join(''))).toEqual([])
  expect(await commandLinesWith(secrets)).toEqual([])
  expect(await filesWith(bed.stateDir, secrets)).toEqual([])
  for (const plural of ['gitproviders', 'gittargets', 'watchrules']) {
    const path = `/apis/gitops.proompteng.ai/v1alpha1/${plural}`
    expect(isIn((await bed.client.request({ path })).bytes.toString())).toEqual([])
  }
  expect(isIn((await bed.client.request({ path: '/api/v1/events' })).bytes.toString())).toEqual([])
})
