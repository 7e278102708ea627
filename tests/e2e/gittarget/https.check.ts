import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCertificate } from '../../../packages/apiserver/src/auth/pki/certificate.ts'
import { createKeyMaterial } from '../../../packages/apiserver/src/auth/pki/key-material.ts'
import {
  HttpRemote,
  type ServingCertificate,
} from '../../../packages/git/src/testing/http-remote.ts'
import { commandLinesWith, filesWith } from '../../../packages/git/src/testing/secret-scan.ts'
import {
  conditionsOf,
  GitProviderKind,
  type Team,
  TestBed,
} from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'

const now = new Date()
/** Two authorities that no system trusts, each with a serving certificate for 127.0.0.1. */
const [ours, others] = [createKeyMaterial(now), createKeyMaterial(now)] as const

function serving({ servingCertificate, servingKey }: typeof ours): ServingCertificate {
  return {
    cert: servingCertificate,
    key: servingKey,
  }
}

const username = 'mirror'
const password = 'hunter2-password-of-the-repository'

function basic(text: string): string {
  return `Basic ${Buffer.from(`${username}:${text}`).toString('base64')}`
}

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

/** A team whose repository is behind a server that requires authentication. */
async function behind(
  namespace: string,
  certificate?: ServingCertificate,
): Promise<{ team: Team; server: HttpRemote }> {
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

function provider(team: Team) {
  return bed.client.get(GitProviderKind, { namespace: team.namespace, name: 'repository' })
}

function untilProvider(team: Team, condition: string): Promise<unknown> {
  return until(async () => conditionsOf(await provider(team)).includes(condition))
}

async function message(team: Team, condition: string): Promise<string> {
  return (
    (await provider(team)).status?.conditions?.find(({ type }) => type === condition)?.message ?? ''
  )
}

function isMirrored(team: Team, version: string): Promise<void> {
  return team.untilFiles(
    (files) => files[team.path('configmaps', 'a')]?.includes(`version: "${version}"`) === true,
  )
}

describe('over HTTPS with a certificate of a private authority', () => {
  test('a provider reports each problem in turn, and a target mirrors when there is none', async () => {
    const { team } = await behind('https', serving(ours))
    await untilProvider(team, 'CredentialsResolved=False/SecretNotFound')

    await team.secret('login', { username, password: 'wrong-password' })
    await untilProvider(team, 'Reachable=False/CertificateNotTrusted')
    expect(await message(team, 'Reachable')).toMatch(
      /put the certificate of its authority into the Secret under ca\.crt/,
    )
    await team.until('Bootstrapped=False/BootstrapFailed')

    await team.secret('login', { username, password, 'ca.crt': 'no certificate' })
    await untilProvider(team, 'CredentialsResolved=False/SecretMalformed')
    await team.until('Validated=False/ProviderNotFound')

    await team.secret('login', { username, password, 'ca.crt': others.caCertificate })
    await untilProvider(team, 'Reachable=False/CertificateNotTrusted')
    expect(await message(team, 'Reachable')).toMatch(
      /not signed by an authority in ca\.crt of the Secret/,
    )
    // A different file name in each attempt would cause a status write for each attempt.
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

  test('a password that changes while the mirror runs is reported, and the new one is used immediately', async () => {
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

  test('an authority that changes is reported, and the new one is used immediately', async () => {
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

  test('a certificate for another host is not trusted, regardless of its issuer', async () => {
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

  test('a bearer token is accepted too, and no credentials are needed where none are required', async () => {
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

test('a server that never answers is reported, delays no other target, and is retried', async () => {
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

test('over HTTP to the loopback address, if that is allowed', async () => {
  const { team } = await behind('http')
  await team.secret('login', { username, password })
  await team.isReady()
  await isMirrored(team, '1')
})

test('a target without a valid password writes nothing, even if another team has one', async () => {
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
  // With a valid password it writes next to the other target, and neither loses anything.
  await stranger.secret('login', { username, password })
  await stranger.isReady()
  await owner.configMap('a', { version: '3' })
  await isMirrored(owner, '3')
  const files = await owner.files()
  expect(files['strangers/stranger/core/configmaps/a.yaml']).toContain('version: "1"')
})

test('no password is found outside of the cluster', async () => {
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
