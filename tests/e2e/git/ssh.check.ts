import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type {
  BranchWorker,
  BranchWorkerOptions,
} from '../../../packages/git/src/branch-worker/branch-worker.ts'
import { SshSigner } from '../../../packages/git/src/commit/ssh-signature.ts'
import type { Connection } from '../../../packages/git/src/git-process/connection.ts'
import { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { commandLinesWith, filesWith } from '../../../packages/git/src/testing/secret-scan.ts'
import { changeSet, committer, testWorker } from '../../../packages/git/src/testing/test-worker.ts'
import {
  makeKey,
  type SshServer,
  sshdAvailable,
  startSshServer,
} from '../../support/git/ssh-server.ts'

const run = promisify(execFile)
const available = await sshdAvailable()
if (!available) process.stderr.write('SKIPPED: there is no sshd here, SSH was not tested\n')
const path = '/usr/local/bin:/usr/bin:/bin'
const passphrase = 'hunter2-passphrase'

let directory: string
let server: SshServer
let plainKey: string
let lockedKey: string
let strangerKey: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-git-ssh-'))
  plainKey = await makeKey(join(directory, 'plain'))
  lockedKey = await makeKey(join(directory, 'locked'), passphrase)
  strangerKey = await makeKey(join(directory, 'stranger'))
  const publicKeys = ['plain', 'locked'].map((name) =>
    readFile(join(directory, `${name}.pub`), 'utf8'),
  )
  if (available)
    server = await startSshServer(join(directory, 'sshd'), await Promise.all(publicKeys))
})

afterAll(async () => {
  server?.close()
  await rm(directory, { recursive: true, force: true })
})

let remote: BareRemote
let scratch: string
let workers: BranchWorker[]

beforeEach(async () => {
  remote = await BareRemote.create()
  scratch = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
  workers = []
})

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()))
  await remote.remove()
  await rm(scratch, { recursive: true, force: true })
})

function connect(change: Partial<Connection> = {}, options: Partial<BranchWorkerOptions> = {}) {
  const started = testWorker({
    connection: {
      url: server.url(remote.path),
      credentials: { kind: 'ssh', privateKey: plainKey },
      knownHosts: server.knownHosts,
      ...change,
    },
    directory: join(scratch, `worker-${workers.length}`),
    ...options,
  })
  workers.push(started.worker)
  return started
}

async function agentDirectories(): Promise<string[]> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith('agents-ssh-'))
  return names.map((name) => join(tmpdir(), name))
}

function fails(worker: BranchWorker, code: string) {
  return vi.waitFor(() => expect(worker.state.lastError?.code).toBe(code), {
    timeout: 120_000,
    interval: 20,
  })
}

describe.runIf(available)('over SSH', () => {
  test('a key is accepted, and a key with its passphrase too', async () => {
    await connect().worker.apply(changeSet({ a: '1' }))
    const credentials = { kind: 'ssh', privateKey: lockedKey, passphrase } as const
    await connect({ credentials }).worker.apply(changeSet({ b: '1' }))
    expect(await remote.files('main')).toEqual({ a: '1', b: '1' })
  })

  test.each([
    {
      because: 'a wrong passphrase',
      code: 'refused',
      change: () => ({
        credentials: { kind: 'ssh', privateKey: lockedKey, passphrase: 'wrong' } as const,
      }),
    },
    {
      because: 'a missing passphrase',
      code: 'refused',
      change: () => ({ credentials: { kind: 'ssh', privateKey: lockedKey } as const }),
    },
    {
      because: 'an invalid key',
      code: 'refused',
      change: () => ({ credentials: { kind: 'ssh', privateKey: 'garbage' } as const }),
    },
    {
      because: 'a key that the server does not accept',
      code: 'auth',
      change: () => ({ credentials: { kind: 'ssh', privateKey: strangerKey } as const }),
    },
    { because: 'no host keys', code: 'host-key', change: () => ({ knownHosts: '' }) },
    {
      because: 'a host that is not in known_hosts',
      code: 'host-key',
      change: () => ({ knownHosts: server.knownHosts.replace('[127.0.0.1]', '[127.0.0.2]') }),
    },
    {
      because: 'another host key than in known_hosts',
      code: 'host-key',
      change: async () => {
        const [, type, key] = (await readFile(join(directory, 'stranger.pub'), 'utf8')).split(
          /(\S+) (\S+)/,
        )
        return { knownHosts: `${server.knownHosts.split(' ')[0]} ${type} ${key}\n` }
      },
    },
    {
      because: 'a missing repository',
      code: 'not-found',
      change: () => ({ url: server.url('/nowhere/at/all.git') }),
    },
  ])('$because is $code', async ({ code, change }) => {
    const { worker } = connect(await change())
    worker.apply(changeSet({ a: '1' })).catch(() => undefined)
    await fails(worker, code)
    expect(await remote.tip('main')).toBeUndefined()
  })

  test('a new key is used as soon as it is set', async () => {
    const { worker } = connect({ credentials: { kind: 'ssh', privateKey: strangerKey } })
    const confirmed = worker.apply(changeSet({ a: '1' }))
    await fails(worker, 'auth')
    await worker.reconnect({
      url: server.url(remote.path),
      credentials: { kind: 'ssh', privateKey: plainKey },
      knownHosts: server.knownHosts,
    })
    await confirmed
    expect(await remote.files('main')).toEqual({ a: '1' })
  })

  test('no key or passphrase is in a command line, a file or a log', async () => {
    const credentials = { kind: 'ssh', privateKey: lockedKey, passphrase } as const
    const { worker, log } = connect({ credentials })
    const secrets = [passphrase, lockedKey.split('\n')[2] ?? 'none']
    const seen: string[] = []
    let isDone = false
    const watching = (async () => {
      while (!isDone) {
        seen.push(...(await commandLinesWith(secrets)))
        for (const place of [scratch, ...(await agentDirectories())]) {
          seen.push(...(await filesWith(place, secrets)))
        }
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()
    await worker.apply(changeSet({ a: '1' }))
    isDone = true
    await watching
    expect(seen).toEqual([])
    expect(log.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
  })

  test('the ssh-agent that holds the key ends with the worker', async () => {
    const others = await commandLinesWith(['agents-ssh-'])
    const { worker } = connect()
    await worker.apply(changeSet({ a: '1' }))
    const ours = (await commandLinesWith(['agents-ssh-'])).filter((line) => !others.includes(line))
    expect(ours).not.toEqual([])
    await worker.close()
    const left = async () =>
      (await commandLinesWith(['agents-ssh-'])).filter((line) => ours.includes(line))
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 120_000 })
  })
})

describe('signed commits', () => {
  test.each([
    { type: 'ed25519', phrase: '' },
    { type: 'ed25519', phrase: passphrase },
    { type: 'rsa', phrase: '' },
    { type: 'ecdsa', phrase: '' },
  ])('git verifies what a key of type $type signed', async ({ type, phrase }) => {
    const file = join(scratch, 'signing')
    const privateKey = await makeKey(file, phrase, type)
    const signer = await SshSigner.open({ privateKey, passphrase: phrase, path })
    try {
      const { worker } = testWorker({
        connection: { url: remote.url, credentials: { kind: 'none' }, allow: { file: true } },
        directory: join(scratch, 'worker'),
        sign: (payload) => signer.sign(payload),
      })
      workers.push(worker)
      await worker.apply(changeSet({ a: '1' }))
      const signers = join(scratch, 'signers')
      await writeFile(signers, `${committer.email} ${signer.publicKey}\n`)
      const verified = await run(
        'git',
        [
          '-c',
          'gpg.format=ssh',
          '-c',
          `gpg.ssh.allowedSignersFile=${signers}`,
          'verify-commit',
          '-v',
          'main',
        ],
        { env: { PATH: path, GIT_DIR: remote.path, HOME: '/nonexistent' } },
      )
      expect(verified.stderr).toContain(`Good "git" signature for ${committer.email}`)
      await remote.git('fsck', '--strict')
    } finally {
      await signer.close()
    }
  })
})
