/**
 * The shipped operator, in a process of its own, mirroring to a repository on this machine: the first snapshot, one change in a
 * folder of many files, changes without end, a restart, and doing nothing. `npm run bench -- gittarget [files…]`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds } from '@agents/gittarget-api'
import { ConfigMapKind, createKubeClient, type KubeClient, SecretKind } from '@agents/kube'
import { GitProviderKind, GitTargetKind, WatchRuleKind } from '../gittarget/test-bed.ts'
import { connectionTo, createNamespace, installKinds } from '../status-contract/server.ts'
import { startEmbeddedServer } from '../testbed/embedded-server.ts'
import { OperatorProcess } from './gittarget/operator-process.ts'

const ROUNDS = 10
const SUSTAINED_MS = 10_000
const IDLE_MS = 5_000

export async function run(args: readonly string[]): Promise<void> {
  const sizes = args.length === 0 ? [100, 1_000, 10_000] : args.map(Number)
  for (const files of sizes) await measure(files)
}

interface Setting {
  readonly client: KubeClient
  readonly repository: string
  readonly namespace: string
}

async function measure(files: number): Promise<void> {
  const server = await startEmbeddedServer()
  const root = await mkdtemp(join(tmpdir(), 'bench-gittarget-'))
  const client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  const setting = { client, repository: join(root, 'repository.git'), namespace: 'bench' }
  try {
    await prepare(setting, files)
    let operator = new OperatorProcess(server.kubeconfigPath, join(root, 'state'))
    const snapshot = await timed(() => untilReady(setting))
    report(files, 'from the start of the process to Ready', `${snapshot} ms`)
    report(files, 'peak memory of the first snapshot', `${Math.round(operator.peakMiB)} MiB`)
    report(files, 'commits of the first snapshot', String(commits(setting)))
    await measureChanges(setting, files)
    await measureSustained(setting, files)
    await measureIdle(setting, files, operator)
    await operator.stop()
    const before = commits(setting)
    operator = new OperatorProcess(server.kubeconfigPath, join(root, 'state'))
    await configMap(setting, 'after-restart', 'x')
    const restart = await timed(() => until(() => commits(setting) > before))
    report(files, 'from a restart to the first change pushed', `${restart} ms`)
    report(files, 'commits of a restart, beside that change', String(commits(setting) - before - 1))
    report(files, 'memory after the restart', `${Math.round(operator.residentMiB())} MiB`)
    await operator.stop()
  } finally {
    client.close()
    await server.stop()
    await rm(root, { recursive: true, force: true })
  }
}

/** One in ten is a Secret. */
async function prepare(setting: Setting, files: number): Promise<void> {
  const { client, repository, namespace } = setting
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', '--template=', repository])
  await installKinds(client, kinds)
  await createNamespace(client, namespace)
  await inParallel(files, async (index) => {
    const metadata = { name: `c-${index}`, namespace }
    const value = `${index}-${'x'.repeat(1000)}`
    if (index % 10 === 9) await client.create(SecretKind, { metadata, stringData: { key: value } })
    else await client.create(ConfigMapKind, { metadata, data: { key: value } })
  })
  await client.create(GitProviderKind, {
    metadata: { name: 'repository', namespace },
    spec: {
      url: `file://${repository}`,
      allowedBranches: ['main'],
      push: { commitWindow: '0s', maxWindow: '0s' },
    },
  } as never)
  await client.create(WatchRuleKind, {
    metadata: { name: 'rule', namespace },
    spec: {
      targetRef: { name: 'mirror' },
      rules: [{ resources: ['configmaps', 'secrets'], excludeNames: ['age'] }],
    },
  } as never)
  await client.create(GitTargetKind, {
    metadata: { name: 'mirror', namespace },
    spec: {
      providerRef: { name: 'repository' },
      branch: 'main',
      path: 'cluster',
      encryption: { provider: 'sops', secretRef: { name: 'age' }, autoCreate: true },
    },
  } as never)
}

async function measureChanges(setting: Setting, files: number): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = commits(setting)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const start = performance.now()
    await configMap(setting, 'c-0', `round ${round}`)
    await until(() => commits(setting) > before)
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const median = Math.round(times[Math.floor(ROUNDS / 2)] ?? 0)
  report(files, 'one change, from kubectl to pushed, window 0', `${median} ms (median)`)
}

async function measureSustained(setting: Setting, files: number): Promise<void> {
  const before = commits(setting)
  const end = performance.now() + SUSTAINED_MS
  let changes = 0
  const writers = Array.from({ length: 32 }, async (_, writer) => {
    for (let round = 0; performance.now() < end; round += 1) {
      await configMap(setting, `s-${writer}-${round % 50}`, `${round}`)
      changes += 1
    }
  })
  await Promise.all(writers)
  await configMap(setting, 'last', 'x')
  const tail = await timed(() =>
    until(() => filesOf(setting).includes('cluster/bench/core/configmaps/last.yaml')),
  )
  const rate = Math.round(changes / (SUSTAINED_MS / 1000))
  report(files, 'sustained changes', `${rate}/s in ${commits(setting) - before} commits`)
  report(files, 'from the last of them to its push', `${tail} ms`)
}

async function measureIdle(setting: Setting, files: number, operator: OperatorProcess) {
  const { client, namespace } = setting
  const version = async (): Promise<string | undefined> =>
    (await client.get(GitTargetKind, { namespace, name: 'mirror' })).metadata.resourceVersion
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const before = { version: await version(), cpu: operator.cpuSeconds(), at: commits(setting) }
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const cpu = ((operator.cpuSeconds() - before.cpu) / (IDLE_MS / 1000)) * 100
  const isQuiet = (await version()) === before.version && commits(setting) === before.at
  report(
    files,
    'idle',
    `${cpu.toFixed(1)} % of a core, ${isQuiet ? 'nothing' : 'SOMETHING'} written`,
  )
  report(files, 'memory when idle', `${Math.round(operator.residentMiB())} MiB`)
}

async function configMap({ client, namespace }: Setting, name: string, value: string) {
  const metadata = { name, namespace }
  const filler = 'x'.repeat(1000)
  await client.apply(ConfigMapKind, { metadata, data: { key: value, filler } } as never, {
    fieldManager: 'bench',
  })
}

const git = ({ repository }: Setting, ...args: string[]): string =>
  execFileSync('git', args, { env: { ...process.env, GIT_DIR: repository }, stdio: 'pipe' })
    .toString()
    .trim()

function commits(setting: Setting): number {
  try {
    return Number(git(setting, 'rev-list', '--count', 'main', '--'))
  } catch {
    return 0
  }
}

const filesOf = (setting: Setting): string[] =>
  git(setting, 'ls-tree', '-r', '--name-only', 'main').split('\n')

async function untilReady({ client, namespace }: Setting): Promise<void> {
  await until(async () => {
    const { status } = await client.get(GitTargetKind, { namespace, name: 'mirror' })
    return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')
  })
}

async function until(holds: () => Promise<boolean | undefined> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return Math.round(performance.now() - start)
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const workers = Array.from({ length: 32 }, async () => {
    while (next < count) {
      const index = next
      next += 1
      await work(index)
    }
  })
  await Promise.all(workers)
}

function report(files: number, what: string, value: string): void {
  console.log(`${String(files).padStart(6)} objects | ${what.padEnd(46)} | ${value}`)
}
