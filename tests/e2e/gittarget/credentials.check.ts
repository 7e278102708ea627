import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLinesWith, filesWith } from '../../../packages/git/src/testing/secret-scan.ts'
import {
  makeKey,
  type SshServer,
  sshdAvailable,
  startSshServer,
} from '../../support/git/ssh-server.ts'
import { untilEqual } from '../../support/gittarget/branch-contents.ts'
import { OperatorChild } from '../../support/gittarget/operator-child.ts'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { type FaultServer, faultServers } from '../../support/testbed/fault-servers.ts'
import { until } from '../../support/testbed/until.ts'

const available = await sshdAvailable()
if (!available) process.stderr.write('SKIPPED: there is no sshd here\n')

const plaintext = 'hunter2-plaintext-of-a-secret'

describe.skipIf(!available)('a mirror with credentials', () => {
  let directory: string
  /** The operator's folder for temporary files. */
  let temporary: string
  let server: FaultServer
  let bed: TestBed
  let ssh: SshServer
  let operator: OperatorChild
  let team: Team
  let keys: string[]
  let scanning = true
  let scan: Promise<void>
  const seen = new Set<string>()

  const authorize = async (...names: string[]): Promise<void> => {
    const lines = names.map((name) => readFile(join(directory, `${name}.pub`), 'utf8'))
    await writeFile(join(directory, 'sshd', 'authorized_keys'), (await Promise.all(lines)).join(''))
  }

  const useKey = async (key: string): Promise<void> => {
    const metadata = { name: 'deploy-key', namespace: team.namespace }
    const stringData = { 'ssh-privatekey': key, known_hosts: ssh.knownHosts }
    bed.secrets.add(stringData)
    await bed.client.apply(
      SecretKind,
      { metadata, stringData },
      { fieldManager: 'test', force: true },
    )
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agents-gittarget-ssh-'))
    keys = [await makeKey(join(directory, 'one')), await makeKey(join(directory, 'two'))]
    ssh = await startSshServer(join(directory, 'sshd'), [])
    await authorize('one')
    server = await faultServers.embedded()
    const { connection } = server
    bed = await TestBed.start(async () => ({
      name: 'embedded',
      connection,
      stop: () => server.stop(),
    }))
    temporary = join(directory, 'tmp')
    await mkdir(temporary)
    operator = await OperatorChild.start(server.kubeconfigPath, bed.stateDir, { TMPDIR: temporary })
    const remote = await bed.remote()
    team = await bed.team('login', remote, {
      provider: { url: ssh.url(remote.path), secretRef: { name: 'deploy-key' } },
      target: {
        encryption: { provider: 'sops', secretRef: { name: 'age' }, autoCreate: true },
      } as never,
      resources: ['configmaps', 'secrets'],
    })
    scan = (async () => {
      while (scanning) {
        for (const line of await commandLinesWith(secrets())) seen.add(line)
        for (const file of await filesWith(temporary, secrets())) seen.add(file)
        for (const file of await filesWith(bed.stateDir, secrets())) seen.add(file)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })()
  })

  afterAll(async () => {
    scanning = false
    await scan
    await operator?.end('SIGKILL')
    ssh?.close()
    await bed?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  /** A line from the middle of each key, and all values that must stay in the cluster. */
  const secrets = (): string[] => [
    ...keys.map((key) => key.split('\n')[2] ?? ''),
    plaintext,
    Buffer.from(plaintext).toString('base64'),
  ]

  test('reports what is missing, and starts when the Secret is created', async () => {
    await until(async () => (await team.conditionTexts()).some((one) => /^Ready=False/.test(one)))
    await team.configMap('a', { version: '1' })
    await team.secret('db', { password: plaintext })
    await useKey(keys[0] ?? '')
    await team.isReady()
    await untilEqual(team)
  })

  test('reports revoked credentials, and continues immediately with new ones', async () => {
    await authorize('two')
    await team.configMap('a', { version: '2' })
    await team.secret('db', { password: `${plaintext}-2` })
    await until(async () => (await team.target()).status?.push?.lastError !== undefined)
    await until(async () => (await team.conditionTexts()).some((one) => /^Ready=False/.test(one)))
    await useKey(keys[1] ?? '')
    await untilEqual(team)
    await team.isReady()
  })

  test('continues by itself when revoked credentials are restored', async () => {
    await authorize()
    await team.configMap('a', { version: '3' })
    await until(async () => (await team.target()).status?.push?.lastError !== undefined)
    await authorize('two')
    await untilEqual(team)
    await team.isReady()
  })

  test('leaves no trace of them anywhere', async () => {
    const identity = await bed.client.get(SecretKind, { name: 'age', namespace: 'login' })
    const age = Object.values(identity.data ?? {}).map((value) =>
      Buffer.from(value, 'base64').toString(),
    )
    const hidden = [...secrets(), ...age.map((text) => text.trim())]
    expect(hidden.every((text) => text.length > 20)).toBe(true)
    await operator.end('SIGTERM')
    const isIn = (text: string): string[] => hidden.filter((secret) => text.includes(secret))
    expect(operator.log.length).toBeGreaterThan(500)
    expect(isIn(operator.log)).toEqual([])
    expect(await filesWith(bed.stateDir, hidden)).toEqual([])
    expect(await filesWith(temporary, hidden)).toEqual([])
    expect([...seen]).toEqual([])
    const files = Object.values(await team.files())
    expect(files.some((text) => text.includes('kind: Secret'))).toBe(true)
    expect(isIn(files.join('\n'))).toEqual([])
    await bed.expectSecretsKept()
  })
})
