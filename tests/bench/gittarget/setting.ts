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
} from '../../support/gittarget/test-bed.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'
import { BenchRepository } from './repository.ts'
import { benchNamespace, type Shape } from './shape.ts'

const mirror = { namespace: benchNamespace, name: 'mirror' }

/** A server, a repository, and a state folder for the operator. */
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
    await createNamespace(client, benchNamespace)
    const repository = await BenchRepository.create(join(root, 'repository.git'))
    await work({ root, server, client, repository })
  } finally {
    client.close()
    await server.stop()
    await rm(root, { recursive: true, force: true })
  }
}

/** A target without a commit window, so that only our own latency remains. */
export async function createTarget(
  { client, repository }: Setting,
  resources: readonly string[],
  shape: Shape = 'flat',
): Promise<void> {
  const metadata = (name: string) => ({ name, namespace: benchNamespace })
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

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

export function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

export function report(objects: number, what: string, value: string): void {
  console.log(`${String(objects).padStart(6)} objects | ${what.padEnd(52)} | ${value}`)
}

export function ms(time: number): string {
  return `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`
}
