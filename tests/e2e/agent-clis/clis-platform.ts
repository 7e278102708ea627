import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  type AgentRun,
  agent,
  agentProvider,
  agentRun,
  versionControlProvider,
} from '@agents/jangar-api'
import { type KubeObject, kindRef, SecretKind } from '@agents/kube'
import { parse } from 'yaml'
import { type AgentCli, ensureAgentCli } from '../../support/testbed/agent-clis.ts'
import { createNamespace } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'
import { type Platform, platforms } from '../examples/platform.ts'
import type { Subject } from './subjects.ts'

const run = promisify(execFile)
const examples = join(import.meta.dirname, '../../../charts/agents/examples')

export const author = { name: 'Release Agent', email: 'agent@example.com' }
const systemPrompt = 'You are MARK-SYSTEM-PROMPT and say little.'

/** A local platform with the CLIs on its PATH, and a repository that runs push to. */
export interface ClisPlatform {
  readonly platform: Platform
  readonly remote: string
  git(...args: string[]): Promise<string>
  /** Adds a commit with the file to the branch, which begins at main. */
  pushFile(branch: string, file: string, content: string): Promise<void>
  /** Creates provider, Agent and Secret of a subject in a namespace of its own. Returns the namespace. */
  install(subject: Subject, url: string, key: string): Promise<string>
  createRun(namespace: string, name: string, spec?: object): Promise<void>
  cancel(namespace: string, name: string): Promise<void>
  /** Waits for a state of the run. */
  until(
    namespace: string,
    name: string,
    holds: (run: AgentRun) => boolean,
    timeoutMs?: number,
  ): Promise<AgentRun>
  /** Waits for the end of the run. */
  finished(namespace: string, name: string, timeoutMs?: number): Promise<AgentRun>
  stop(): Promise<void>
}

export async function startClisPlatform(
  clis: readonly AgentCli[],
  env: NodeJS.ProcessEnv,
  settings: Readonly<Record<string, string>> = {},
): Promise<ClisPlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-clis-'))
  await chmod(folder, 0o755)
  const path: string[] = []
  for (const cli of clis) {
    const installed = await ensureAgentCli(cli, env)
    // The cache may be in a home that the users of containers cannot enter. Links cost no space.
    const reachable = join(folder, basename(installed))
    await run('cp', ['-al', installed, reachable]).catch(() =>
      run('cp', ['-a', installed, reachable]),
    )
    path.push(join(reachable, 'bin'))
  }
  const remotes = join(folder, 'remotes')
  const remote = await createRemote(remotes)
  // The programs of npm packages need a Node, which is that of the tests.
  const platform = await platforms.embedded([...path, join(process.execPath, '..')], settings)
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', ['-c', 'safe.directory=*', ...args], { cwd: remote })).stdout
  const { client } = platform
  const untilRun: ClisPlatform['until'] = async (namespace, name, holds, timeoutMs = 200_000) => {
    let last: AgentRun | undefined
    await until(
      async () => {
        last = (await client.get(kindRef(agentRun), { namespace, name })) as unknown as AgentRun
        return holds(last)
      },
      `${namespace}/${name} did not get there`,
      { timeoutMs, everyMs: 100 },
    )
    return last as AgentRun
  }
  return {
    platform,
    remote,
    git,
    pushFile: (...what) => pushFile(remotes, ...what),
    until: untilRun,
    install: async (subject, url, key) => {
      const namespace = `cli-${subject.cli}`
      await createNamespace(client, namespace)
      await client.create(SecretKind, {
        metadata: { name: 'model', namespace },
        stringData: { [subject.key]: key },
      } as never)
      await client.create(kindRef(versionControlProvider), {
        metadata: { name: 'local', namespace },
        spec: {
          provider: 'generic',
          cloneBaseUrl: `file://${remotes}`,
          defaults: {
            baseBranch: 'main',
            branchTemplate: `agents/${namespace}-{{ agentRun.name }}`,
            commitAuthorName: author.name,
            commitAuthorEmail: author.email,
          },
        },
      } as never)
      const example = join(examples, `agentprovider-${subject.cli}.yaml`)
      const provider = parse(await readFile(example, 'utf8')) as KubeObject
      await client.create(kindRef(agentProvider), {
        ...provider,
        metadata: { ...provider.metadata, namespace },
      } as never)
      const env = Object.entries(subject.env(url)).map(([name, value]) => ({ name, value }))
      await client.create(kindRef(agent), {
        metadata: { name: 'coder', namespace },
        spec: {
          providerRef: { name: subject.cli },
          vcsRef: { name: 'local' },
          env,
          defaults: { systemPrompt },
        },
      } as never)
      return namespace
    },
    createRun: async (namespace, name, spec = {}) => {
      await client.create(kindRef(agentRun), {
        metadata: { name, namespace },
        spec: {
          agentRef: { name: 'coder' },
          secrets: ['model'],
          runtime: { type: 'job' },
          parameters: { repository: 'owner/app' },
          implementation: {
            inline: {
              text: 'MARK-TASK: write the file.',
              description: 'MARK-DESCRIPTION of the file.',
              acceptanceCriteria: ['MARK-CRITERION-1 holds', 'MARK-CRITERION-2 holds'],
            },
          },
          ...spec,
        },
      } as never)
    },
    cancel: async (namespace, name) => {
      const body = { spec: { cancel: true } }
      await client.patch(kindRef(agentRun), { namespace, name }, { type: 'merge', body })
    },
    finished: (namespace, name, timeoutMs) =>
      untilRun(namespace, name, ({ status }) => status?.finishedAt !== undefined, timeoutMs),
    stop: async () => {
      await platform.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']

async function pushFile(
  remotes: string,
  branch: string,
  file: string,
  content: string,
): Promise<void> {
  const seed = join(remotes, 'seed')
  const git = (...args: string[]) => run('git', [...identity, ...args], { cwd: seed })
  await git('checkout', '--quiet', '-B', 'elsewhere', 'origin/main')
  await mkdir(dirname(join(seed, file)), { recursive: true })
  await writeFile(join(seed, file), content)
  await git('add', '--all')
  await git('commit', '--quiet', '--message=Elsewhere')
  await git('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`)
  await run('chmod', ['-R', 'a+rwX', remotes])
}

async function createRemote(remotes: string): Promise<string> {
  const remote = join(remotes, 'owner', 'app.git')
  await mkdir(remote, { recursive: true })
  const git = (cwd: string, ...args: string[]) => run('git', [...identity, ...args], { cwd })
  await git(remote, 'init', '--quiet', '--bare', '--initial-branch=main')
  const seed = join(remotes, 'seed')
  await git(remotes, 'clone', '--quiet', remote, seed)
  await writeFile(join(seed, 'README.md'), '# App\n')
  await git(seed, 'add', '--all')
  await git(seed, 'commit', '--quiet', '--message=Begin')
  await git(seed, 'push', '--quiet', 'origin', 'HEAD:main')
  // The publisher runs as another user.
  await run('chmod', ['-R', 'a+rwX', remotes])
  return remote
}
