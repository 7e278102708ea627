import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Source, systemClock } from '@agents/controller'
import { createComponents, type GitTargetComponents } from '@agents/gittarget'
import {
  clusterWatchRule,
  type GitProvider,
  type GitTarget,
  gitProvider,
  gitTarget,
  watchRule,
} from '@agents/gittarget-api'
import { isNotFound, type KindRef, type KubeObject, kindRef, SecretKind } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { kindRunnable } from '../../../../services/gittarget/src/process/kind-runnable.ts'
import type {
  ContractSubject,
  ControllerEnvironment,
  Dependency,
  EnvironmentPorts,
} from '../contract-subject.ts'

/** Folder of the repositories and local copies. */
const directory = mkdtempSync(join(tmpdir(), 'agents-contract-'))
const repository = join(directory, 'repository.git')

const GitProviderKind = kindRef<GitProvider>(gitProvider)
const GitTargetKind = kindRef<GitTarget>(gitTarget)

const providerSpec = { url: `file://${repository}`, allowedBranches: ['main'] }
const targetSpec = { providerRef: { name: 'provider' }, branch: 'main', path: 'cluster' }

const log = silentLogger

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
  environment: (ports) => environmentOf(ports, 'gitProvider'),
}

/** The dependency gives each namespace its own repository; in a shared one the older target would own the path. */
const gitTargetSubject: ContractSubject = {
  kind: gitTarget,
  spec: targetSpec,
  changedSpec: { suspend: true },
  dependency: created('provider', GitProviderKind, providerOf),
  environment: (ports) => environmentOf(ports, 'gitTarget'),
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
  environment: (ports) => environmentOf(ports, 'watchRule'),
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
  environment: (ports) => environmentOf(ports, 'clusterWatchRule'),
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

/** A provider with a separate repository for each namespace. */
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

function environmentOf(ports: EnvironmentPorts, kind: Kind): ControllerEnvironment {
  const { client, informers, namespace } = ports
  const components = createComponents({
    ...{ client, informers, log, clock: systemClock, namespaces: [namespace] },
    stateDir: mkdtempSync(join(directory, 'state-')),
    allowFile: true,
    path: '/usr/local/bin:/usr/bin:/bin',
    fingerprintKey: Buffer.alloc(32),
  })
  const { reconciler, sources } = components[kind]
  return {
    reconciler: reconciler as unknown as ControllerEnvironment['reconciler'],
    sources: [...sources, lifetime(components, ports, kind.toLowerCase().endsWith('rule'))],
  }
}

/** Starts the components behind the reconciler together with its controller, and stops them with it. */
function lifetime(
  components: GitTargetComponents,
  { client }: EnvironmentPorts,
  withTargets: boolean,
): Source {
  return {
    name: 'lifetime',
    start: () => {
      const control = new AbortController()
      components.catalog.start()
      if (withTargets) {
        const { gitTarget: targets } = components
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
          void components.stop(0)
        },
      }
    },
  }
}
