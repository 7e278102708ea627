import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Logger } from '@agents/log'
import { collectArtifacts } from './artifacts/collect-artifacts.ts'
import type { Findings, Steps } from './carry-out.ts'
import { programEnvironment } from './command/program-environment.ts'
import { formatProblem } from './contract/reader.ts'
import type { Assignment } from './load-assignment.ts'
import type { LogFile } from './process/log-file.ts'
import { pumpLines } from './process/pump-lines.ts'
import { runProgram } from './process/run-program.ts'
import type { SecretMask } from './process/secret-mask.ts'
import type { Stop } from './process/stop.ts'
import { RunFailure } from './run-failure.ts'
import { guessAdapter, readerOf } from './usage/adapter.ts'
import { type AgentReport, readReport } from './usage/report-file.ts'
import { createUsageMeter } from './usage/usage-meter.ts'
import { checkOut } from './vcs/check-out.ts'
import { createGit } from './vcs/git.ts'
import { headBranchOf } from './vcs/head-branch.ts'
import { type Author, publish } from './vcs/publish.ts'
import { type Credentials, remoteUrl, tokenUser } from './vcs/remote.ts'
import { localPath, writeInWorkspace } from './workspace/workspace-path.ts'
import { writeInputFiles } from './workspace/write-input-files.ts'

export interface StepsOptions {
  readonly assignment: Assignment
  readonly env: Readonly<Record<string, string | undefined>>
  readonly mask: SecretMask
  readonly stop: Stop
  readonly hurry: AbortSignal
  readonly log: Logger
  readonly logFile: LogFile | undefined
  writeStdout(text: string): Promise<void>
  writeStderr(text: string): Promise<void>
}

const GRACE_SECONDS = 20
const GIT_SECONDS = 300

/** How the steps of a run are done for one assignment. */
export function createSteps(options: StepsOptions): Steps {
  const { assignment, env, mask, stop, log } = options
  const { config, run, runner, command, context } = assignment
  const root = config.workspace
  const repository = join(root, 'repo')
  const reportPath = join(root, '.agent', 'report.json')
  const author = authorOf(assignment)
  const meter = createUsageMeter(readerOf(adapterOf(assignment)))
  const vcs = run.vcs?.mode === 'none' ? undefined : run.vcs
  const canWrite = vcs?.mode === 'read-write' && vcs.writeEnabled !== false
  const git = createGit({
    folder: repository,
    env,
    credentials: credentialsOf(assignment),
    mask,
    stop,
    timeoutMs: (runner.timeouts?.gitSeconds ?? GIT_SECONDS) * 1000,
  })
  return {
    binary: command.binary,

    async prepare() {
      await mkdir(dirname(reportPath), { recursive: true })
      await rm(reportPath, { force: true })
      const head = vcs && canWrite ? headBranchOf(vcs, run.agentRun.name, context) : undefined
      const checkout =
        vcs &&
        (await checkOut({
          git,
          folder: repository,
          url: remoteUrl(vcs),
          vcs,
          ...(head !== undefined && { head }),
        }))
      if (checkout !== undefined) {
        const { url, headBranch, startCommit } = checkout
        log.info('repository ready', { url, headBranch: headBranch?.name, startCommit })
      }
      await writeInputFiles(root, checkout?.folder, command.inputFiles)
      return checkout
    },

    async run(checkout) {
      const systemPromptPath = await placeSystemPrompt(assignment)
      await demandInput(assignment.stdinPath)
      log.info('program starts', { binary: command.binary })
      return runProgram(
        {
          binary: command.binary,
          args: command.args,
          cwd: checkout?.folder ?? root,
          env: programEnvironment({
            env,
            commandEnv: command.env,
            run,
            workspace: root,
            runSpecPath: assignment.runSpecPath,
            reportPath,
            author,
            ...(systemPromptPath !== undefined && { systemPromptPath }),
            ...(checkout !== undefined && { checkout }),
          }),
          ...(assignment.stdinPath !== undefined && { stdinPath: assignment.stdinPath }),
        },
        {
          stop: stop.signal,
          hurry: options.hurry,
          graceMs: (runner.timeouts?.graceSeconds ?? GRACE_SECONDS) * 1000,
          readStdout: (stream) =>
            pumpLines(stream, { mask, write: tee(options, 'stdout'), onLine: meter.line }),
          readStderr: (stream) => pumpLines(stream, { mask, write: tee(options, 'stderr') }),
        },
      )
    },

    async collect(checkout): Promise<Findings> {
      const declared = run.artifacts ?? runner.providerSpec?.outputArtifacts ?? []
      const from = checkout?.folder ?? root
      const { artifacts, missing } = await collectArtifacts(declared, (path) =>
        localPath(root, path, from),
      )
      const report = await takeReport(reportPath, log)
      const usage = report.usage ?? meter.usage()
      const summary = report.summary ?? meter.summary()
      return {
        artifacts,
        missingArtifacts: missing,
        ...(usage !== undefined && { usage }),
        ...(summary !== undefined && { summary: mask(summary) }),
        ...(report.outputs !== undefined && { outputs: maskValues(report.outputs, mask) }),
        ...(report.pullRequest !== undefined && { pullRequest: report.pullRequest }),
      }
    },

    ...(canWrite && {
      publish: (checkout) => publish({ git, checkout, author, message: commitMessage(assignment) }),
    }),
  }
}

function tee(options: StepsOptions, stream: 'stdout' | 'stderr') {
  const write = stream === 'stdout' ? options.writeStdout : options.writeStderr
  return async (text: string) => {
    await write(text)
    await options.logFile?.write(text)
  }
}

function adapterOf({ options, runner, command }: Assignment) {
  return options.adapter ?? runner.adapter ?? guessAdapter(command.binary)
}

function authorOf({ config, run }: Assignment): Author {
  const { commitAuthorName, commitAuthorEmail } = run.vcs?.defaults ?? {}
  return {
    name: config.vcs.authorName ?? commitAuthorName ?? 'Agent',
    email: config.vcs.authorEmail ?? commitAuthorEmail ?? 'agent@example.invalid',
  }
}

function credentialsOf({ config, run }: Assignment): Credentials {
  const { token, username, askpassUsername, sshKeyPath, sshKnownHostsPath } = config.vcs
  if (run.vcs?.cloneProtocol === 'ssh' && sshKeyPath !== undefined) {
    return {
      kind: 'ssh',
      keyPath: sshKeyPath,
      ...(sshKnownHostsPath !== undefined && { knownHostsPath: sshKnownHostsPath }),
    }
  }
  if (token === undefined) return { kind: 'none' }
  const user = username ?? askpassUsername ?? tokenUser(run.vcs?.provider ?? 'generic')
  return { kind: 'token', username: user, token }
}

/** Instructions that are mounted already stay where they are; those in run.json get a file. */
async function placeSystemPrompt({ config, run }: Assignment): Promise<string | undefined> {
  const mounted = config.systemPromptPath ?? run.systemPromptPath
  if (mounted !== undefined) return localPath(config.workspace, mounted)
  if (run.systemPrompt === undefined) return undefined
  const path = join(config.workspace, '.agent', 'system-prompt.txt')
  await writeInWorkspace(config.workspace, path, run.systemPrompt)
  return path
}

async function demandInput(path: string | undefined): Promise<void> {
  if (path === undefined) return
  const entry = await stat(path).catch(() => undefined)
  if (entry?.isFile() === true) return
  throw new RunFailure('WorkspaceFailed', `the program's standard input ${path} is not a file`)
}

const LONGEST_SUBJECT = 72

function commitMessage({ run }: Assignment): string {
  const { namespace, name } = run.agentRun
  const said = run.implementation.summary ?? run.implementation.text.trim().split('\n')[0] ?? ''
  const subject = said.trim().replaceAll(/\s+/g, ' ') || `Work of ${name}`
  const short =
    subject.length <= LONGEST_SUBJECT ? subject : `${subject.slice(0, LONGEST_SUBJECT - 1)}…`
  return `${short.toWellFormed()}\n\nAgent-Run: ${namespace}/${name}`
}

async function takeReport(path: string, log: Logger): Promise<AgentReport> {
  const report = await readReport(path)
  if (report === undefined) return {}
  if (report.ok) return report.value
  const problems = report.problems.map((problem) => formatProblem('report.json', problem))
  log.warn('the report of the program is not used', { problems })
  return {}
}

function maskValues(values: Readonly<Record<string, string>>, mask: SecretMask) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mask(value)]))
}
