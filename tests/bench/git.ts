/**
 * One change in a folder of many files, from `apply` to pushed, and the first commit of 10,000 files, all to a repository on this
 * machine. Beside it, a push of the same commit by `git` alone: what remains is ours.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createLogger } from '@agents/log'
import { BranchWorker } from '../../packages/git/src/branch-worker/branch-worker.ts'
import { generateAgeKey } from '../../packages/git/src/sops/age-key.ts'
import { encryptDocument } from '../../packages/git/src/sops/encrypt-document.ts'
import { fingerprintKeyFrom } from '../../packages/git/src/sops/fingerprint.ts'

const execute = promisify(execFile)
const ROUNDS = 15

export async function run(): Promise<void> {
  await measureSops()
  const root = await mkdtemp(join(tmpdir(), 'bench-git-'))
  try {
    for (const shape of ['flat', 'spread'] as const) {
      for (const files of [100, 1_000, 10_000, 50_000]) {
        await measureFolder(join(root, `${shape}-${files}`), shape, files)
      }
    }
  } finally {
    await rm(root, { recursive: true })
  }
}

type Shape = 'flat' | 'spread'

/** One folder for all, or as a mirror lays them out: 100 files to a folder. */
const pathOf = (shape: Shape, index: number): string =>
  shape === 'flat'
    ? `cluster/default/core/configmaps/config-${index}.yaml`
    : `cluster/namespace-${Math.floor(index / 100)}/core/configmaps/config-${index}.yaml`

const contentOf = (index: number, round: number): Buffer => {
  const value = `${index}-${round}-${'x'.repeat(900)}`
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n'
  return Buffer.from(
    `${head}  name: config-${index}\n  namespace: default\ndata:\n  key: ${value}\n`,
  )
}

async function measureFolder(directory: string, shape: Shape, files: number): Promise<void> {
  const remote = join(directory, 'remote.git')
  const gitEnv = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  await execute('git', ['init', '-q', '--bare', '-b', 'main', remote], { env: gitEnv })
  const worker = new BranchWorker({
    connection: { url: `file://${remote}`, credentials: { kind: 'none' }, allow: { file: true } },
    branch: 'main',
    directory: join(directory, 'worker'),
    committer: { name: 'mirror', email: 'mirror@example.test' },
    log: createLogger({ level: 'error', sink: process.stderr }),
  })
  const apply = async (changes: Map<string, Buffer>): Promise<number> => {
    const started = performance.now()
    await worker.apply({ owner: 'bench', changes, message: () => 'bench' })
    return performance.now() - started
  }
  const all = new Map<string, Buffer>()
  for (let index = 0; index < files; index += 1) all.set(pathOf(shape, index), contentOf(index, 0))
  const first = await apply(all)
  const times: number[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    const index = (round * 7919) % files
    times.push(await apply(new Map([[pathOf(shape, index), contentOf(index, round)]])))
  }
  const listStarted = performance.now()
  const { files: listed } = await worker.list('.')
  const list = performance.now() - listStarted
  if (listed.size !== files) throw new Error(`${listed.size} files instead of ${files}`)
  await worker.close()
  const alone = await pushAlone(remote, join(directory, 'clone'), gitEnv)
  const rss = Math.round(process.memoryUsage().rss / 1024 / 1024)
  console.log(
    `${shape.padEnd(6)} ${String(files).padStart(6)} files: first commit ${ms(first)}, one change ${ms(median(times))} ` +
      `(${ms(Math.min(...times))} to ${ms(Math.max(...times))}), list ${ms(list)}, git push alone ${ms(alone)}, ${rss} MiB`,
  )
}

/** A push of an empty commit: what no client of `git push` can go below. */
async function pushAlone(remote: string, clone: string, env: NodeJS.ProcessEnv): Promise<number> {
  await execute('git', ['clone', '-q', '--bare', remote, clone], { env })
  const times: number[] = []
  for (let round = 0; round < 7; round += 1) {
    const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.test']
    const args = [...identity, 'commit-tree', '-p', 'main', '-m', `empty ${round}`, 'main^{tree}']
    const { stdout } = await execute('git', args, { cwd: clone, env })
    await execute('git', ['update-ref', 'refs/heads/main', stdout.trim()], { cwd: clone, env })
    const started = performance.now()
    await execute('git', ['push', '-q', `file://${remote}`, 'main'], { cwd: clone, env })
    times.push(performance.now() - started)
  }
  return median(times)
}

async function measureSops(): Promise<void> {
  const { identity, recipient } = await generateAgeKey()
  const plaintext =
    'apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: aHVudGVyMg==\n'
  const fingerprint = { key: fingerprintKeyFrom('bench'), path: 'db.yaml' }
  const options = { plaintext, recipients: [recipient], now: new Date(), fingerprint }
  const previous = await encryptDocument(options)
  const perCall = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now()
    for (let round = 0; round < 200; round += 1) await work()
    return (performance.now() - started) / 200
  }
  const fresh = await perCall(() => encryptDocument(options))
  const known = await perCall(() => encryptDocument({ ...options, previous }))
  const { fingerprint: _none, ...withoutLine } = options
  const opened = await perCall(() =>
    encryptDocument({ ...withoutLine, previous, identities: [identity] }),
  )
  console.log(
    `sops, per Secret: encrypt ${ms(fresh)}, unchanged by fingerprint ${ms(known)}, unchanged by identity ${ms(opened)}`,
  )
}

const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

const ms = (time: number): string => `${time < 10 ? time.toFixed(2) : Math.round(time)} ms`
