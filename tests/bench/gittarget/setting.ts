import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds } from '@agents/gittarget-api'
import { createKubeClient, type KubeClient } from '@agents/kube'
import {
  ClusterWatchRuleKind,
  GitProviderKind,
  GitTargetKind,
  WatchRuleKind,
} from '../../gittarget/test-bed.ts'
import { connectionTo, createNamespace, installKinds } from '../../status-contract/server.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../testbed/embedded-server.ts'
import { BenchRepository } from './repository.ts'
import { NAMESPACE, type Shape } from './shape.ts'

const mirror = { namespace: NAMESPACE, name: 'mirror' }

/** A server, a repository, and a folder for what the operator keeps. */
export interface Setting {
  readonly root: string
  readonly server: EmbeddedServer
  readonly client: KubeClient
  readonly repository: BenchRepository
}

export async function withSetting(work: (setting: Setting) => Promise<void>): Promise<void> {
  const server = await startEmbeddedServer()
  const root = await mkdtemp(join(tmpdir(), 'bench-gittarget-'))
  const client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  try {
    await installKinds(client, kinds)
    await createNamespace(client, NAMESPACE)
    const repository = await BenchRepository.create(join(root, 'repository.git'))
    await work({ root, server, client, repository })
  } finally {
    client.close()
    await server.stop()
    await rm(root, { recursive: true, force: true })
  }
}

/** A target without a commit window: what is left of a change's way is ours. */
export async function createTarget(
  { client, repository }: Setting,
  resources: readonly string[],
  shape: Shape = 'flat',
): Promise<void> {
  const metadata = (name: string) => ({ name, namespace: NAMESPACE })
  await client.create(GitProviderKind, {
    metadata: metadata('repository'),
    spec: {
      url: `file://${repository.directory}`,
      allowedBranches: ['main'],
      push: { commitWindow: '0s', maxWindow: '0s' },
    },
  } as never)
  const rule = { resources, excludeNames: ['age'] }
  if (shape === 'flat') {
    await client.create(WatchRuleKind, {
      metadata: metadata('rule'),
      spec: { targetRef: { name: mirror.name }, rules: [rule] },
    } as never)
  } else {
    await client.create(ClusterWatchRuleKind, {
      metadata: { name: 'rule' },
      spec: { targetRef: mirror, rules: [{ ...rule, scope: 'Namespaced' }] },
    } as never)
  }
  const encryption = { provider: 'sops', secretRef: { name: 'age' }, autoCreate: true }
  await client.create(GitTargetKind, {
    metadata: metadata(mirror.name),
    spec: {
      providerRef: { name: 'repository' },
      branch: 'main',
      path: 'cluster',
      allowClusterRules: shape === 'spread',
      ...(resources.includes('secrets') && { encryption }),
    },
  } as never)
}

export async function untilReady({ client }: Setting): Promise<void> {
  await until(async () => {
    const { status } = await client.get(GitTargetKind, mirror)
    return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')
  })
}

export async function targetRevision({ client }: Setting): Promise<string | undefined> {
  return (await client.get(GitTargetKind, mirror)).metadata.resourceVersion
}

export async function until(
  holds: () => Promise<boolean | undefined>,
  everyMs = 20,
): Promise<void> {
  while (!(await holds())) await pause(everyMs)
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

export const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

export function report(objects: number, what: string, value: string): void {
  console.log(`${String(objects).padStart(6)} objects | ${what.padEnd(52)} | ${value}`)
}

export const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`
