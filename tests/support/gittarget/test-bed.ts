import { deepEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningGitTarget, startGitTarget } from '@agents/gittarget'
import {
  type ClusterWatchRule,
  clusterWatchRule,
  type GitProvider,
  type GitTarget,
  gitProvider,
  gitTarget,
  kinds,
  type WatchRule,
  watchRule,
} from '@agents/gittarget-api'
import {
  type Condition,
  type ConfigMap,
  ConfigMapKind,
  type KubeClient,
  kindRef,
  type Secret,
  SecretKind,
} from '@agents/kube'
import { createLogger } from '@agents/log'
import { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import {
  connect,
  createNamespace,
  installKinds,
  type RunningServer,
  type StartServer,
  startEmbedded,
} from '../testbed/server.ts'
import { until } from '../testbed/until.ts'
import { KeptSecrets } from './kept-secrets.ts'

export const GitProviderKind = kindRef<GitProvider>(gitProvider)
export const GitTargetKind = kindRef<GitTarget>(gitTarget)
export const WatchRuleKind = kindRef<WatchRule>(watchRule)
export const ClusterWatchRuleKind = kindRef<ClusterWatchRule>(clusterWatchRule)

/** An API server with the kinds installed, and an operator that can be restarted. */
export class TestBed {
  readonly client: KubeClient
  readonly stateDir: string
  readonly log: string[] = []
  /** Secrets of all teams; `stop` searches for leaked values. */
  readonly secrets = new KeptSecrets()
  readonly #server: RunningServer
  readonly #remotes: BareRemote[] = []
  #operator: RunningGitTarget | undefined

  private constructor(server: RunningServer, stateDir: string) {
    this.#server = server
    this.stateDir = stateDir
    this.client = connect(server.connection)
  }

  static async start(startServer: StartServer = startEmbedded): Promise<TestBed> {
    const server = await startServer()
    const bed = new TestBed(server, await mkdtemp(join(tmpdir(), 'agents-gittarget-test-')))
    await installKinds(bed.client, kinds)
    return bed
  }

  /** The text of a kubeconfig for the administrator, or for whoever the token belongs to. */
  kubeconfig(token?: string): string {
    const text = this.#server.kubeconfig?.(token)
    if (text === undefined) throw new Error('the server of this test has no kubeconfig')
    return text
  }

  get operator(): RunningGitTarget {
    if (this.#operator === undefined) throw new Error('the operator does not run')
    return this.#operator
  }

  async startOperator(client = this.client): Promise<void> {
    this.#operator = await startGitTarget({
      client,
      log: createLogger({ level: 'debug', sink: { write: (line) => this.log.push(line) } }),
      stateDir: this.stateDir,
      allowFile: true,
    })
    await this.#operator.ready
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.stop()
    this.#operator = undefined
  }

  async remote(): Promise<BareRemote> {
    const remote = await BareRemote.create()
    this.#remotes.push(remote)
    return remote
  }

  /** Stops everything. Throws if a secret value was found outside of its Secret. */
  async stop(): Promise<void> {
    try {
      await this.expectSecretsKept()
    } finally {
      await this.stopOperator()
      this.client.close()
      await this.#server.stop()
      for (const remote of this.#remotes) await remote.remove()
      await rm(this.stateDir, { recursive: true, force: true })
    }
  }

  /** Must be called while everything that was started is still running. */
  async expectSecretsKept(): Promise<void> {
    const { secrets } = this
    const found = {
      'command lines': await secrets.inCommandLines(),
      log: secrets.in(this.log.join('')),
      files: await secrets.inFiles(this.stateDir),
      status: await secrets.inStatus(this.client),
      git: this.#remotes.flatMap(({ path }) => secrets.inRepository(path)),
    }
    deepEqual(found, { 'command lines': [], log: [], files: [], status: [], git: [] })
  }

  /** A namespace with a provider and a target, unless the options disable them. */
  async team(namespace: string, remote: BareRemote, options: TeamOptions = {}): Promise<Team> {
    await createNamespace(this.client, namespace)
    const team = new Team(this.client, namespace, remote, this.secrets)
    if (options.provider !== false) await team.createProvider(options.provider)
    if (options.target !== false) await team.createTarget(options.target)
    if (options.resources !== undefined) await team.watch(options.resources)
    return team
  }
}

interface TeamOptions {
  readonly provider?: Partial<GitProvider['spec']> | false
  readonly target?: Partial<GitTarget['spec']> | false
  readonly resources?: readonly string[]
}

/** A namespace whose target mirrors to a repository. */
export class Team {
  readonly client: KubeClient
  readonly namespace: string
  readonly remote: BareRemote
  readonly #secrets: KeptSecrets

  constructor(client: KubeClient, namespace: string, remote: BareRemote, secrets: KeptSecrets) {
    this.client = client
    this.namespace = namespace
    this.remote = remote
    this.#secrets = secrets
  }

  async createProvider(spec: Partial<GitProvider['spec']> = {}): Promise<void> {
    await this.client.create(GitProviderKind, {
      metadata: { name: 'repository', namespace: this.namespace },
      spec: {
        url: this.remote.url,
        allowedBranches: ['main'],
        push: { commitWindow: '50ms', maxWindow: '500ms' },
        ...spec,
      } as GitProvider['spec'],
    })
  }

  async createTarget(spec: Partial<GitTarget['spec']> = {}, name = 'mirror'): Promise<void> {
    await this.client.create(GitTargetKind, {
      metadata: { name, namespace: this.namespace },
      spec: {
        providerRef: { name: 'repository' },
        branch: 'main',
        path: 'cluster',
        ...spec,
      } as GitTarget['spec'],
    })
  }

  async watch(
    resources: readonly string[],
    rule: Partial<WatchRule['spec']['rules'][number]> = {},
  ): Promise<void> {
    await this.client.create(WatchRuleKind, {
      metadata: { name: 'rule', namespace: this.namespace },
      spec: {
        targetRef: { name: 'mirror' },
        rules: [{ resources: [...resources], excludeNames: ['kube-root-ca.crt'], ...rule }],
      } as WatchRule['spec'],
    })
  }

  async configMap(name: string, data: Record<string, string>): Promise<void> {
    const key = { name, namespace: this.namespace }
    await this.client.apply<ConfigMap>(ConfigMapKind, { metadata: key, data }, manager)
  }

  async secret(name: string, stringData: Record<string, string>): Promise<void> {
    const key = { name, namespace: this.namespace }
    this.#secrets.add(stringData)
    await this.client.apply<Secret>(SecretKind, { metadata: key, stringData }, manager)
  }

  async deleteConfigMap(name: string): Promise<void> {
    await this.client.delete(ConfigMapKind, { name, namespace: this.namespace })
  }

  target(name = 'mirror'): Promise<GitTarget> {
    return this.client.get(GitTargetKind, { name, namespace: this.namespace })
  }

  async change(spec: object, name = 'mirror'): Promise<void> {
    const key = { name, namespace: this.namespace }
    await this.client.patch(GitTargetKind, key, { type: 'merge', body: { spec } })
  }

  /** `Type=Status/Reason` of all conditions. */
  async conditionTexts(name = 'mirror'): Promise<string[]> {
    return conditionsOf(await this.target(name))
  }

  async isReady(name = 'mirror'): Promise<void> {
    await until(async () => {
      const { metadata, status } = await this.target(name)
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      return ready?.status === 'True' && ready.observedGeneration === metadata.generation
    })
  }

  async until(condition: string, name = 'mirror'): Promise<void> {
    await until(async () => (await this.conditionTexts(name)).includes(condition))
  }

  /** The files of the branch, by path. */
  async files(branch = 'main'): Promise<Record<string, string>> {
    const tip = await this.remote.tip(branch)
    return tip === undefined ? {} : readFiles(this.remote, tip)
  }

  async commits(branch = 'main'): Promise<number> {
    if ((await this.remote.tip(branch)) === undefined) return 0
    return Number(await this.remote.git('rev-list', '--count', branch))
  }

  async untilFiles(holds: (files: Record<string, string>) => boolean): Promise<void> {
    await until(async () => holds(await this.files()))
  }

  path(resource: string, name: string): string {
    return `cluster/${this.namespace}/core/${resource}/${name}.yaml`
  }
}

/** Reads all files of a commit with a single process, however many there are. */
async function readFiles(remote: BareRemote, commit: string): Promise<Record<string, string>> {
  const lines = (await remote.git('ls-tree', '-r', '-z', commit)).split('\0')
  const entries = lines.filter((line) => line !== '').map((line) => line.split(/[ \t]/))
  const oids = entries.map(([, , oid = '']) => oid)
  const { stdout } = spawnSync('git', ['cat-file', '--batch'], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', GIT_DIR: remote.path },
    input: `${oids.join('\n')}\n`,
    maxBuffer: 1024 * 1024 * 1024,
  })
  let at = 0
  const files: Record<string, string> = {}
  for (const [, , , ...path] of entries) {
    const end = stdout.indexOf(10, at)
    const size = Number(stdout.toString('latin1', at, end).split(' ')[2])
    files[path.join(' ')] = stdout.toString('utf8', end + 1, end + 1 + size)
    at = end + 1 + size + 1
  }
  return files
}

export function conditionsOf({ status }: GitTarget | GitProvider): string[] {
  return ((status?.conditions ?? []) as Condition[]).map(
    ({ type, status: value, reason }) => `${type}=${value}/${reason}`,
  )
}

const manager = { fieldManager: 'somebody' }
