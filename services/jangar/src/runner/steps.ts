import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Logger } from '@agents/log'
import { collectArtifacts } from './artifacts/collect-artifacts.ts'
import type { Findings, Steps } from './carry-out.ts'
import { programEnvironment } from './command/program-environment.ts'
import { formatProblem } from './contract/reader.ts'
import type { VcsContext } from './contract/vcs-context.ts'
import type { Assignment } from './load-assignment.ts'
import type { LogFile } from './process/log-file.ts'
import { pumpLines } from './process/pump-lines.ts'
import { type ProgramEnd, runProgram } from './process/run-program.ts'
import type { SecretMask } from './process/secret-mask.ts'
import type { Stop } from './process/stop.ts'
import { RunFailure } from './run-failure.ts'
import { guessAdapter, readerOf } from './usage/adapter.ts'
import { type AgentReport, readReport } from './usage/report-file.ts'
import { withTotal } from './usage/usage.ts'
import { createUsageMeter, type UsageMeter } from './usage/usage-meter.ts'
import { type Checkout, checkOut } from './vcs/check-out.ts'
import { authorOf, commitMessage } from './vcs/commit-words.ts'
import { credentialsOf } from './vcs/credentials.ts'
import { createGit, type Git } from './vcs/git.ts'
import { headBranchOf } from './vcs/head-branch.ts'
import { publish } from './vcs/publish.ts'
import { remoteUrl } from './vcs/remote.ts'
import { placeSystemPrompt } from './workspace/place-system-prompt.ts'
import { localPath } from './workspace/workspace-path.ts'
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

interface Setup extends StepsOptions {
  readonly root: string
  readonly repository: string
  readonly reportPath: string
  readonly vcs: VcsContext | undefined
  readonly canWrite: boolean
  readonly git: Git
  readonly meter: UsageMeter
}

const GRACE_SECONDS = 20
const GIT_SECONDS = 300

/** How the steps of a run are done for one assignment. */
export function createSteps(options: StepsOptions): Steps {
  const setup = setUp(options)
  const { config, run, command } = options.assignment
  const author = authorOf(config.vcs, run)
  return {
    binary: command.binary,
    prepare: () => prepare(setup),
    run: (checkout) => runCommand(setup, checkout),
    collect: (checkout) => collect(setup, checkout),
    ...(setup.canWrite && {
      publish: (checkout) =>
        publish({ git: setup.git, checkout, author, message: commitMessage(run) }),
    }),
  }
}

function setUp(options: StepsOptions): Setup {
  const { config, run, runner, command, options: given } = options.assignment
  const vcs = run.vcs?.mode === 'none' ? undefined : run.vcs
  const repository = join(config.workspace, 'repo')
  const adapter = given.adapter ?? runner.adapter ?? guessAdapter(command.binary)
  return {
    ...options,
    root: config.workspace,
    repository,
    reportPath: join(config.workspace, '.agent', 'report.json'),
    vcs,
    canWrite: vcs?.mode === 'read-write' && vcs.writeEnabled !== false,
    git: createGit({
      folder: repository,
      env: options.env,
      credentials: credentialsOf(config.vcs, run.vcs),
      mask: options.mask,
      stop: options.stop,
      timeoutMs: (runner.timeouts?.gitSeconds ?? GIT_SECONDS) * 1000,
    }),
    meter: createUsageMeter(readerOf(adapter)),
  }
}

async function prepare(setup: Setup): Promise<Checkout | undefined> {
  const { root, reportPath, assignment } = setup
  await mkdir(dirname(reportPath), { recursive: true })
  // An earlier attempt's report would be taken for this one's.
  await rm(reportPath, { force: true })
  const checkout = setup.vcs && (await fetchRepository(setup, setup.vcs))
  await writeInputFiles(root, checkout?.folder, assignment.command.inputFiles)
  return checkout
}

async function fetchRepository(setup: Setup, vcs: VcsContext): Promise<Checkout> {
  const { git, repository, canWrite, log, assignment } = setup
  const { run, context } = assignment
  const head = canWrite ? headBranchOf(vcs, run.agentRun.name, context) : undefined
  const url = remoteUrl(vcs)
  const checkout = await checkOut({
    git,
    folder: repository,
    url,
    vcs,
    ...(head !== undefined && { head }),
  })
  const { headBranch, startCommit } = checkout
  log.info('repository ready', { url, headBranch: headBranch?.name, startCommit })
  return checkout
}

async function runCommand(setup: Setup, checkout: Checkout | undefined): Promise<ProgramEnd> {
  const { assignment, root, env, mask, meter, log } = setup
  const { config, run, runner, command, runSpecPath, stdinPath } = assignment
  const systemPromptPath = await placeSystemPrompt(root, {
    mounted: config.systemPromptPath ?? run.systemPromptPath,
    inline: run.systemPrompt,
  })
  if (stdinPath !== undefined) await demandFile(stdinPath)
  log.info('program starts', { binary: command.binary })
  const program = {
    binary: command.binary,
    args: command.args,
    cwd: checkout?.folder ?? root,
    env: programEnvironment({
      env,
      commandEnv: command.env,
      run,
      workspace: root,
      runSpecPath,
      reportPath: setup.reportPath,
      author: authorOf(config.vcs, run),
      ...(systemPromptPath !== undefined && { systemPromptPath }),
      ...(checkout !== undefined && { checkout }),
    }),
    ...(stdinPath !== undefined && { stdinPath }),
  }
  return runProgram(program, {
    stop: setup.stop.signal,
    hurry: setup.hurry,
    graceMs: (runner.timeouts?.graceSeconds ?? GRACE_SECONDS) * 1000,
    readStdout: (stream) =>
      pumpLines(stream, { mask, write: tee(setup, 'writeStdout'), onLine: meter.line }),
    readStderr: (stream) => pumpLines(stream, { mask, write: tee(setup, 'writeStderr') }),
  })
}

function tee(setup: Setup, write: 'writeStdout' | 'writeStderr') {
  return async (text: string) => {
    await setup[write](text)
    await setup.logFile?.write(text)
  }
}

async function demandFile(path: string): Promise<void> {
  const entry = await stat(path).catch(() => undefined)
  if (entry?.isFile() === true) return
  throw new RunFailure('WorkspaceFailed', `the program's standard input ${path} is not a file`)
}

async function collect(setup: Setup, checkout: Checkout | undefined): Promise<Findings> {
  const { assignment, root, meter } = setup
  const { run, runner } = assignment
  const declared = run.artifacts ?? runner.providerSpec?.outputArtifacts ?? []
  const { artifacts, missing } = await collectArtifacts(declared, (path) =>
    localPath(root, path, checkout?.folder ?? root),
  )
  const { outputs, pullRequest, ...report } = await takeReport(setup)
  const usage = report.usage ? withTotal(report.usage) : meter.usage()
  const summary = report.summary ?? meter.summary()
  return {
    artifacts,
    missingArtifacts: missing,
    ...(usage !== undefined && { usage }),
    ...(summary !== undefined && { summary }),
    ...(outputs !== undefined && { outputs }),
    ...(pullRequest !== undefined && { pullRequest }),
  }
}

async function takeReport({ reportPath, log }: Setup): Promise<AgentReport> {
  const report = await readReport(reportPath)
  if (report === undefined) return {}
  if (report.ok) return report.value
  const problems = report.problems.map((problem) => formatProblem('report.json', problem))
  log.warn('the report of the program is not used', { problems })
  return {}
}
