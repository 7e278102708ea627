/**
 * Measures one change in a folder of many files, from `apply` to pushed, and the first commit of 10,000 files, all to a
 * local repository; where the time is spent, and a push of an empty commit by `git` alone. `npm run bench -- git
 * [files…]`.
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
import { GitStages } from './gittarget/git-stages.ts'
import type { Shape } from './gittarget/shape.ts'

const execute = promisify(execFile)
const roundCount = 15

export async function run(args: readonly string[]): Promise<void> {
  const sizes = args.length === 0 ? [100, 1_000, 10_000, 50_000] : args.map(Number)
  await measureSops()
  const root = await mkdtemp(join(tmpdir(), 'bench-git-'))
  try {
    for (const shape of ['flat', 'spread'] as const) {
      for (const files of sizes) {
        await measureFolder(join(root, `${shape}-${files}`), shape, files)
      }
    }
  } finally {
    await rm(root, { recursive: true })
  }
}

function pathOf(shape: Shape, index: number): string {
  return shape === 'flat'
    ? `cluster/default/core/configmaps/config-${index}.yaml`
    : `cluster/namespace-${Math.floor(index / 100)}/core/configmaps/config-${index}.yaml`
}

function contentOf(index: number, round: number): Buffer {
  const value = `${index}-${round}-${'x'.repeat(900)}`
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n'
  return Buffer.from(
    `${head}  name: config-${index}\n  namespace: default\ndata:\n  key: ${value}\n`,
  )
}

async function measureFolder(directory: string, shape: Shape, files: number): Promise<void> {
  const remote = join(directory, 'remote.git')
  await execute('git', ['init', '-q', '--bare', '-b', 'main', remote], { env: gitEnv })
  const worker = startWorker(remote, join(directory, 'worker'))
  const all = new Map<string, Buffer>()
  for (let index = 0; index < files; index += 1) all.set(pathOf(shape, index), contentOf(index, 0))
  const first = await apply(worker, all)
  const times: number[] = []
  const change = (by: BranchWorker, round: number): Promise<number> => {
    const index = (round * 7919) % files
    return apply(by, new Map([[pathOf(shape, index), contentOf(index, round)]]))
  }
  for (let round = 1; round <= roundCount; round += 1) times.push(await change(worker, round))
  const listStarted = performance.now()
  const { files: listed } = await worker.list('.')
  const list = performance.now() - listStarted
  if (listed.size !== files) throw new Error(`${listed.size} files instead of ${files}`)
  await worker.close()
  const stages = await measureStages(remote, directory, change)
  const alone = await pushAlone(remote, join(directory, 'clone'))
  const rss = Math.round(process.memoryUsage().rss / 1024 / 1024)
  console.log(
    `${shape.padEnd(6)} ${String(files).padStart(6)} files: first commit ${ms(first)}, one change ${ms(median(times))} ` +
      `(${ms(Math.min(...times))} to ${ms(Math.max(...times))}; ${stages}), list ${ms(list)}, git push alone ${ms(alone)}, ${rss} MiB`,
  )
}

const gitEnv = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }

function startWorker(remote: string, directory: string, path?: string): BranchWorker {
  return new BranchWorker({
    connection: { url: `file://${remote}`, credentials: { kind: 'none' }, allow: { file: true } },
    branch: 'main',
    directory,
    committer: { name: 'mirror', email: 'mirror@example.test' },
    log: createLogger({ level: 'error', sink: process.stderr }),
    ...(path !== undefined && { path }),
  })
}

async function apply(worker: BranchWorker, changes: Map<string, Buffer>): Promise<number> {
  const started = performance.now()
  await worker.apply({ owner: 'bench', changes, message: () => 'bench' })
  return performance.now() - started
}

/** Where the time of a change is spent, and what it sends. Uses a separate worker, because tracing takes time. */
async function measureStages(
  remote: string,
  directory: string,
  change: (worker: BranchWorker, round: number) => Promise<number>,
): Promise<string> {
  const path = process.env.PATH ?? ''
  const stages = await GitStages.create(join(directory, 'stages'), path)
  const worker = startWorker(remote, join(directory, 'traced'), `${stages.directory}:${path}`)
  const rounds = async (from: number): Promise<number> => {
    let total = 0
    for (let round = from; round < from + roundCount; round += 1)
      total += await change(worker, round)
    return total
  }
  await change(worker, 100)
  await stages.take()
  const total = await rounds(101)
  const { clientMs, remoteMs } = await stages.take()
  const bytes = await stages.bytesSent(async () => void (await rounds(201)))
  await worker.close()
  const each = (value: number): string => ms(value / roundCount)
  const ours = each(total - clientMs - remoteMs)
  return `ours ${ours}, git push ${each(clientMs)}, the repository ${each(remoteMs)}, ${Math.round(bytes / roundCount)} bytes sent`
}

/** A push of an empty commit: the lower bound for any client of `git push`. */
async function pushAlone(remote: string, clone: string): Promise<number> {
  const env = gitEnv
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

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

function ms(time: number): string {
  return `${time < 10 ? time.toFixed(2) : Math.round(time)} ms`
}
