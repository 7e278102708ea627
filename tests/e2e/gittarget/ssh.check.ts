import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GitProvider } from '@agents/gittarget-api'
import { ConfigMapKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLinesWith, filesWith } from '../../../packages/git/src/testing/secret-scan.ts'
import {
  makeKey,
  type SshServer,
  sshdAvailable,
  startSshServer,
} from '../../support/git/ssh-server.ts'
import { GitProviderKind, type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'

const available = await sshdAvailable()
if (!available) process.stderr.write('SKIPPED: there is no sshd here, SSH was not tested\n')

let bed: TestBed
let directory: string
let server: SshServer
let key: string
let publicKey: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-gittarget-ssh-'))
  key = await makeKey(join(directory, 'key'))
  publicKey = await readFile(join(directory, 'key.pub'), 'utf8')
  if (available) server = await startSshServer(join(directory, 'sshd'), [publicKey])
  bed = await TestBed.start()
  await bed.startOperator()
})
afterAll(async () => {
  await bed.stop()
  server?.close()
  await rm(directory, { recursive: true, force: true })
})

describe.skipIf(!available)('over SSH', () => {
  const providerConditions = async (team: Team): Promise<string[]> => {
    const { namespace } = team
    const { status } = await bed.client.get(GitProviderKind, { namespace, name: 'repository' })
    return (status?.conditions ?? []).map(
      ({ type, status: is, reason }) => `${type}=${is}/${reason}`,
    )
  }
  const untilProvider = (team: Team, text: string): Promise<unknown> =>
    until(async () => (await providerConditions(team)).includes(text))

  const overSsh = async (namespace: string, spec: Partial<GitProvider['spec']> = {}) => {
    const remote = await bed.remote()
    const team = await bed.team(namespace, remote, { provider: false, target: false })
    await team.createProvider({
      url: server.url(remote.path),
      secretRef: { name: 'key' },
      knownHostsRef: { kind: 'ConfigMap', name: 'hosts', key: 'known_hosts' },
      ...spec,
    })
    return team
  }

  test('a provider reports each missing part in turn, and a target mirrors when none is missing', async () => {
    const team = await overSsh('ssh')
    await team.createTarget()
    await team.watch(['configmaps'])
    await untilProvider(team, 'CredentialsResolved=False/SecretNotFound')
    await team.secret('key', { 'ssh-privatekey': key })
    await untilProvider(team, 'CredentialsResolved=False/KnownHostsNotFound')
    await team.configMap('hosts', { known_hosts: server.knownHosts })
    await untilProvider(team, 'Ready=True/OK')
    await team.isReady()
    await team.untilFiles((files) => team.path('configmaps', 'hosts') in files)
  })

  test('a wrong host key is rejected, and nothing is written', async () => {
    const team = await overSsh('stranger')
    const other = await makeKey(join(directory, 'other')).then(() =>
      readFile(join(directory, 'other.pub'), 'utf8'),
    )
    const [host] = server.knownHosts.split(' ')
    await team.secret('key', { identity: key })
    await team.configMap('hosts', { known_hosts: `${host} ${other}` })
    await untilProvider(team, 'Reachable=False/HostKeyRejected')
    await team.createTarget()
    await team.until('Bootstrapped=False/BootstrapFailed')
    expect(await team.commits()).toBe(0)
    await team.configMap('hosts', { known_hosts: server.knownHosts })
    await team.isReady()
  })

  test('revoked credentials are reported, and used again when they are restored', async () => {
    const team = await overSsh('revoked')
    await team.secret('key', { sshPrivateKey: key })
    await team.configMap('hosts', { known_hosts: server.knownHosts })
    await team.createTarget()
    await team.watch(['configmaps'])
    await team.isReady()
    const authorized = join(directory, 'sshd', 'authorized_keys')
    await writeFile(authorized, '')
    await team.configMap('later', { a: 'b' })
    await team.until('SnapshotSynced=False/SnapshotFailed')
    await untilProvider(team, 'Reachable=False/AuthenticationFailed')
    await writeFile(authorized, publicKey)
    await bed.client.delete(ConfigMapKind, { namespace: 'revoked', name: 'hosts' })
    await team.configMap('hosts', { known_hosts: server.knownHosts })
    await team.untilFiles((files) => team.path('configmaps', 'later') in files)
    await team.isReady()
  })

  test('commits are signed, and the key is not found outside of the cluster', async () => {
    const team = await overSsh('signed', {
      commit: {
        author: 'Committer',
        committer: { name: 'mirror', email: 'mirror@example.test' },
        signing: { secretRef: { name: 'key' } },
      },
    })
    await team.secret('key', { 'ssh-privatekey': key })
    await team.configMap('hosts', { known_hosts: server.knownHosts })
    await team.createTarget()
    await team.isReady()
    const { status } = await bed.client.get(GitProviderKind, {
      namespace: 'signed',
      name: 'repository',
    })
    expect(publicKey).toContain(status?.signingPublicKey ?? 'none')
    const allowed = join(directory, 'allowed')
    await writeFile(allowed, `mirror@example.test ${publicKey}`)
    const verified = await team.remote.git(
      '-c',
      'gpg.format=ssh',
      '-c',
      `gpg.ssh.allowedSignersFile=${allowed}`,
      'log',
      '-1',
      '--format=%G?',
      'main',
    )
    expect(verified).toBe('G')
    const secret = key.split('\n')[2] ?? ''
    expect(secret.length).toBeGreaterThan(20)
    expect(bed.log.join('')).not.toContain(secret)
    expect(await commandLinesWith([secret])).toEqual([])
    expect(await filesWith(bed.stateDir, [secret])).toEqual([])
  })
})
