import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { RepositoryPlan } from '../../run-contract/repository-plan.ts'
import { parseTerminationMessage } from '../../run-contract/termination-message.ts'
import { createStop, type Stop } from '../process/stop.ts'
import type { RunStatus } from '../report/status-file.ts'
import { runAgent } from '../run-agent.ts'
import { createRoles } from './roles.ts'

const programPath = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':')

const main = join(import.meta.dirname, '..', '..', 'main', 'runner.ts')
export const scriptedAgent = join(import.meta.dirname, '..', '..', 'main', 'scripted-agent.ts')

export interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** As the controller reads it. */
  readonly message: ReturnType<typeof parseTerminationMessage>
}

export interface Documents {
  readonly run?: object
  readonly runner?: object
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stop?: Stop
  /** What the platform adds to the plan of the repository. */
  readonly plan?: Partial<RepositoryPlan>
}

export interface RunnerHarness {
  readonly root: string
  readonly workspace: string
  readonly remotes: string
  /** In this process, with real files, real programs and real git. */
  run(documents: Documents): Promise<Ran>
  /** The program itself, with its documents in place. */
  start(documents: Documents): ReturnType<typeof spawn>
  status(): RunStatus
  message(): Ran['message']
  read(path: string): string
  /** Git with no configuration, for looking and for preparing. */
  git(folder: string, ...args: readonly string[]): string
  /** A bare repository with one commit on main. */
  createRemote(name?: string): string
}

/** A workspace, remotes and everything that a run needs. Removed after the test. */
export function createHarness(): RunnerHarness {
  const root = mkdtempSync(join(tmpdir(), 'agent-runner-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, 'workspace')
  const remotes = join(root, 'remotes')
  const messagePath = join(root, 'termination-log')
  mkdirSync(workspace)
  mkdirSync(remotes)
  const write = ({ run = {}, runner = {} }: Documents) => {
    writeFileSync(join(workspace, 'run.json'), JSON.stringify({ ...someRun, ...run }))
    const spec = { provider: 'test', ...runner }
    writeFileSync(join(workspace, 'agent-runner.json'), JSON.stringify(spec))
  }
  const environment = (env: Documents['env']) => ({
    PATH: programPath,
    AGENT_WORKSPACE: workspace,
    AGENT_TERMINATION_MESSAGE_PATH: messagePath,
    ...env,
  })
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const message = () =>
    existsSync(messagePath) ? parseTerminationMessage(read('termination-log')) : undefined
  const git: RunnerHarness['git'] = (folder, ...args) =>
    execFileSync('git', args, {
      cwd: join(root, folder),
      env: gitEnv,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  return {
    root,
    workspace,
    remotes,
    read,
    message,
    git,
    status: () => JSON.parse(read('workspace/.agent/status.json')) as RunStatus,
    async run(documents) {
      write(documents)
      const [stdout, stderr] = [gather(), gather()]
      const context = {
        stdout: stdout.stream,
        stderr: stderr.stream,
        logFormat: 'json' as const,
        stop: documents.stop ?? createStop(),
        now: () => new Date(),
      }
      const agent = (env: Readonly<Record<string, string>>) =>
        runAgent({
          ...context,
          argv: documents.argv ?? [],
          env: environment(env),
          hurry: new AbortController().signal,
        })
      const ended = await createRoles(root, documents, programPath).run(context, agent, message)
      return { ...ended, stdout: stdout.text(), stderr: stderr.text() }
    },
    start(documents) {
      write(documents)
      const args = [main, ...(documents.argv ?? [])]
      const child = spawn(process.execPath, args, { env: environment(documents.env), cwd: root })
      onTestFinished(() => {
        child.kill('SIGKILL')
      })
      return child
    },
    createRemote(name = 'owner/app') {
      const path = join('remotes', `${name}.git`)
      mkdirSync(join(root, dirname(path)), { recursive: true })
      git('.', 'init', '--quiet', '--bare', '--initial-branch=main', path)
      git('.', 'clone', '--quiet', path, 'seed')
      writeFileSync(join(root, 'seed', 'README.md'), '# App\n')
      git('seed', 'add', '--all')
      git('seed', 'commit', '--quiet', '--message=Begin')
      git('seed', 'push', '--quiet', 'origin', 'HEAD:main')
      return path
    },
  }
}

export const someRun = {
  provider: 'test',
  agentRun: { name: 'demo', uid: 'u-1', namespace: 'agents' },
  implementation: { text: 'Do it well.', summary: 'Do it' },
  parameters: { stage: 'plan' },
}

/** A program for `sh`, as what follows `--`. */
export function shell(script: string): string[] {
  return ['--', '/bin/sh', '-c', script]
}

export function vcs(remotes: string, rest: object = {}) {
  return {
    provider: 'generic',
    repository: 'owner/app',
    mode: 'read-write',
    cloneBaseUrl: `file://${remotes}`,
    baseBranch: 'main',
    ...rest,
  }
}

const gitEnv = {
  PATH: programPath,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Somebody',
  GIT_AUTHOR_EMAIL: 'somebody@example.com',
  GIT_COMMITTER_NAME: 'Somebody',
  GIT_COMMITTER_EMAIL: 'somebody@example.com',
}

function gather() {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}
