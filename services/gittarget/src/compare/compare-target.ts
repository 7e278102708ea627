import { BranchWorker, folderPath } from '@agents/git'
import {
  type ClusterWatchRule,
  clusterWatchRule,
  type GitTarget,
  gitTarget,
  type WatchRule,
  watchRule,
} from '@agents/gittarget-api'
import { formatKey, type KubeClient, type KubeObject, kindRef, NamespaceKind } from '@agents/kube'
import type { Logger } from '@agents/log'
import { identityKey } from '../document/identity.ts'
import { writeManifest } from '../document/write-manifest.ts'
import { pathTemplateOf, targetPlan } from '../git-target/target-plan.ts'
import { isSecret, kindRefOf } from '../mirror/selection/resource-type.ts'
import type { Selection } from '../mirror/selection/selection.ts'
import { type DesiredManifest, desiredState } from '../mirror/snapshot/desired-state.ts'
import { withIgnoredFields } from '../mirror/snapshot/kept-fields.ts'
import { planSnapshot } from '../mirror/snapshot/plan-snapshot.ts'
import { renderFile } from '../mirror/snapshot/render-file.ts'
import type { WatchedType } from '../mirror/stream/watched-streams.ts'
import { targetConnection } from '../repository/target-connection.ts'

interface CompareOptions {
  readonly client: KubeClient
  readonly log: Logger
  /** For a temporary copy of the repository. Must not exist. */
  readonly directory: string
  /** Search path for `git` and `ssh`. */
  readonly path: string
  readonly signal: AbortSignal
}

/** A file that does not describe its object as the cluster has it. */
interface FileDifference {
  /** From the root of the repository. */
  readonly path: string
  readonly kind: 'only in the cluster' | 'differs' | 'only in Git'
  /** Content of the file; undefined if it does not exist. */
  readonly inGit: string | undefined
  /** Content that the file would have; undefined if the object does not exist. */
  readonly inCluster: string | undefined
}

export interface TargetComparison {
  /** Undefined if the branch does not exist. */
  readonly commit: string | undefined
  readonly differences: readonly FileDifference[]
}

/**
 * Compares a target's folder with the cluster as its mirror does, without writing anything. Secrets are not compared,
 * because that needs the key. Throws if the repository or the objects cannot be read.
 */
export async function compareTarget(
  target: GitTarget,
  options: CompareOptions,
): Promise<TargetComparison> {
  const { log, directory, path } = options
  const { provider, connection } = await targetConnection(target, options)
  const desired = desiredState(await listedTypes(target, options))
  const { committer } = provider.spec.commit
  const { branch } = target.spec
  const worker = new BranchWorker({ connection, branch, directory, committer, log, path })
  try {
    return await compare(target, worker, desired)
  } finally {
    await worker.close()
  }
}

async function compare(
  target: GitTarget,
  worker: BranchWorker,
  desired: ReadonlyMap<string, DesiredManifest>,
): Promise<TargetComparison> {
  const folder = folderPath(target.spec.path)
  const { commit, files } = await worker.list(folder)
  const texts = new Map<string, { inGit: string | undefined; inCluster: string }>()
  const plan = await planSnapshot({
    folder,
    template: pathTemplateOf(target),
    files,
    blobs: worker,
    desired,
    render: async (path, current, manifest, impliesNamespace) => {
      const whole =
        current === undefined ? manifest : withIgnoredFields(manifest, current, impliesNamespace)
      const text = await renderFile(current, whole, {
        ...{ path, impliesNamespace, encryption: undefined, now: new Date(0) },
      })
      texts.set(path, { inGit: current, inCluster: text })
      return text
    },
    isSwept: ({ group, kind }) => !(group === '' && kind === 'Secret'),
    deletions: new Map(),
  })
  const oids = plan.swept.flatMap(({ path }) => files.get(path)?.oid ?? [])
  const contents = await worker.read([...new Set(oids)])
  const differences: FileDifference[] = [
    ...plan.created.map(({ path, identity }): FileDifference => {
      const manifest = desired.get(identityKey(identity))
      const inCluster = manifest && writeManifest(manifest.object)
      return { path, kind: 'only in the cluster', inGit: undefined, inCluster }
    }),
    ...plan.updated.map(({ path }): FileDifference => {
      const { inGit, inCluster } = texts.get(path) ?? {}
      return { path, kind: 'differs', inGit, inCluster }
    }),
    ...plan.swept.map(({ path }): FileDifference => {
      const inGit = contents.get(files.get(path)?.oid ?? '')?.toString('utf8')
      return { path, kind: 'only in Git', inGit, inCluster: undefined }
    }),
  ]
  return { commit, differences: differences.sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** All objects of the types that the rules select, read once instead of watched. */
async function listedTypes(
  target: GitTarget,
  { client, signal }: CompareOptions,
): Promise<WatchedType[]> {
  const [targets, rules, clusterRules, namespaces, served] = await Promise.all([
    client.list(kindRef<GitTarget>(gitTarget), { signal }),
    client.list(kindRef<WatchRule>(watchRule), {
      namespace: target.metadata.namespace,
      signal,
    }),
    client.list(kindRef<ClusterWatchRule>(clusterWatchRule), { signal }),
    client.list(NamespaceKind, { signal }),
    client.discovery.resources(),
  ])
  const caches = {
    gitTargets: listed(targets.items),
    watchRules: listed(rules.items),
    clusterWatchRules: listed(clusterRules.items),
    namespaces: listed(namespaces.items),
  }
  const { selections } = targetPlan(target, caches, served)
  const shared = Map.groupBy(
    selections.filter(({ type }) => !isSecret(type)),
    ({ type, namespace }) => JSON.stringify([type, namespace]),
  )
  return Promise.all(
    [...shared.values()].map(async (own) => {
      const [{ type, namespace }] = own as [Selection, ...Selection[]]
      const { items } = await client.list(kindRefOf(type), { namespace, signal })
      const objects = new Map(items.map((object) => [formatKey(object.metadata), object]))
      const stream = {
        objects: () => items,
        get: (key: Parameters<typeof formatKey>[0]) => objects.get(formatKey(key)),
        state: { kind: 'live' } as const,
        hasSynced: true,
      }
      return { type, stream, selections: own }
    }),
  )
}

function listed<T extends KubeObject>(items: readonly T[]) {
  const byKey = new Map(items.map((object) => [formatKey(object.metadata), object]))
  return {
    list: (namespace?: string): T[] =>
      namespace === undefined
        ? [...items]
        : items.filter(({ metadata }) => metadata.namespace === namespace),
    get: (key: string): T | undefined => byKey.get(key),
  }
}
