import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Source, systemClock } from '@agents/controller'
import { type GitTargetWorld, gitTargetWorld } from '@agents/gittarget'
import {
  clusterWatchRule,
  type GitProvider,
  type GitTarget,
  gitProvider,
  gitTarget,
  watchRule,
} from '@agents/gittarget-api'
import { isNotFound, type KindRef, type KubeObject, kindRef, SecretKind } from '@agents/kube'
import { createLogger } from '@agents/log'
import { kindRunnable } from '../../../services/gittarget/src/process/kind-runnable.ts'
import type { ContractSubject, Dependency, World, WorldPorts } from '../contract-subject.ts'

/** Where repositories and local copies are. */
const directory = mkdtempSync(join(tmpdir(), 'agents-contract-'))
const repository = join(directory, 'repository.git')

const GitProviderKind = kindRef<GitProvider>(gitProvider)
const GitTargetKind = kindRef<GitTarget>(gitTarget)

const providerSpec = { url: `file://${repository}`, allowedBranches: ['main'] }
const targetSpec = { providerRef: { name: 'provider' }, branch: 'main', path: 'cluster' }

const log = createLogger({ sink: { write: () => undefined } })

const gitProviderSubject: ContractSubject = {
  kind: gitProvider,
  spec: { ...providerSpec, secretRef: { name: 'credentials' } },
  changedSpec: { allowedBranches: ['main', 'other'] },
  dependency: {
    create: async ({ client, namespace }) => {
      makeRepository()
      const metadata = { name: 'credentials', namespace }
      await client.create(SecretKind, { metadata, stringData: { username: 'u', password: 'p' } })
    },
    delete: ({ client, namespace }) =>
      client.delete(SecretKind, { name: 'credentials', namespace }).catch(ignoreMissing),
  },
  world: (ports) => worldOf(ports, 'gitProvider'),
}

/** Each namespace has a folder of its own: they share the repository, and the older one would win. */
const gitTargetSubject: ContractSubject = {
  kind: gitTarget,
  spec: targetSpec,
  changedSpec: { suspend: true },
  dependency: created('provider', GitProviderKind, providerOf),
  world: (ports) => worldOf(ports, 'gitTarget'),
}

const watchRuleSubject: ContractSubject = {
  kind: watchRule,
  spec: { targetRef: { name: 'target' }, rules: [{ resources: ['configmaps'] }] },
  changedSpec: { rules: [{ resources: ['configmaps', 'services'] }] },
  dependency: {
    create: async (ports) => {
      await created('provider', GitProviderKind, providerOf).create(ports)
      await created('target', GitTargetKind, () => targetSpec).create(ports)
    },
    delete: ({ client, namespace }) =>
      client.delete(GitTargetKind, { name: 'target', namespace }).catch(ignoreMissing),
  },
  world: (ports) => worldOf(ports, 'watchRule'),
}

const clusterWatchRuleSubject: ContractSubject = {
  kind: clusterWatchRule,
  spec: (namespace) => ({
    targetRef: { namespace, name: 'target' },
    rules: [{ scope: 'Namespaced', resources: ['configmaps'] }],
  }),
  changedSpec: { rules: [{ scope: 'Namespaced', resources: ['configmaps', 'services'] }] },
  dependency: {
    create: async (ports) => {
      await created('provider', GitProviderKind, providerOf).create(ports)
      const spec = { ...targetSpec, allowClusterRules: true }
      await created('target', GitTargetKind, () => spec).create(ports)
    },
    delete: ({ client, namespace }) =>
      client.delete(GitTargetKind, { name: 'target', namespace }).catch(ignoreMissing),
  },
  world: (ports) => worldOf(ports, 'clusterWatchRule'),
}

export const gitTargetSubjects = [
  gitProviderSubject,
  gitTargetSubject,
  watchRuleSubject,
  clusterWatchRuleSubject,
]

function created(
  name: string,
  kind: KindRef<KubeObject>,
  spec: (namespace: string) => object,
): Dependency {
  return {
    create: ({ client, namespace }) =>
      client.create(kind, { metadata: { name, namespace }, spec: spec(namespace) } as never),
    delete: ({ client, namespace }) =>
      client.delete(kind, { name, namespace }).catch(ignoreMissing),
  }
}

/** A repository of its own for each namespace. */
function providerOf(namespace: string): object {
  const path = join(directory, `${namespace}.git`)
  makeRepository(path)
  return { ...providerSpec, url: `file://${path}` }
}

function makeRepository(path = repository): void {
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', '--template=', path])
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}

type Kind = 'gitProvider' | 'gitTarget' | 'watchRule' | 'clusterWatchRule'

function worldOf(ports: WorldPorts, kind: Kind): World {
  const { client, informers, namespace } = ports
  const world = gitTargetWorld({
    ...{ client, informers, log, clock: systemClock, namespaces: [namespace] },
    stateDir: mkdtempSync(join(directory, 'state-')),
    allowFile: true,
    path: '/usr/local/bin:/usr/bin:/bin',
    fingerprintKey: Buffer.alloc(32),
  })
  const { reconciler, sources } = world[kind]
  return {
    reconciler: reconciler as unknown as World['reconciler'],
    sources: [...sources, lifetime(world, ports, kind.toLowerCase().endsWith('rule'))],
  }
}

/** Starts what stands behind the reconciler when its controller starts, and ends it with the controller. */
function lifetime(world: GitTargetWorld, { client }: WorldPorts, withTargets: boolean): Source {
  return {
    name: 'lifetime',
    start: () => {
      const control = new AbortController()
      world.catalog.start()
      if (withTargets) {
        const { gitTarget: targets } = world
        const events = { record: () => undefined }
        const ports = { client, events, log, clock: systemClock }
        void kindRunnable(targets, ports)
          .run(control.signal)
          .catch(() => undefined)
      }
      return {
        hasSynced: () => true,
        remove: () => {
          control.abort()
          void world.stop(0)
        },
      }
    },
  }
}
