import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Logger } from '@agents/log'
import { formatProblem } from '../reader/reader.ts'
import { isMcpVariable } from '../run-contract/mcp-server.ts'
import { RunFailure } from '../run-contract/run-failure.ts'
import { type AdapterName, usesMcp } from '../run-contract/runner-spec.ts'
import type { SecretMask } from '../run-contract/secrets/secret-mask.ts'
import { skillMount } from '../run-contract/skill.ts'
import { maskedUsage, type Usage, withTotal } from '../run-contract/usage.ts'
import type { VcsContext } from '../run-contract/vcs-context.ts'
import { collectArtifacts } from './artifacts/collect-artifacts.ts'
import { aiderLogIn, type Delivery, deliver, taskPathIn } from './cli/delivery.ts'
import { taskText } from './cli/task-text.ts'
import { programEnvironment } from './command/program-environment.ts'
import type { Findings, Steps } from './execute-run.ts'
import type { Assignment } from './load-assignment.ts'
import { type McpBroker, startMcpBroker } from './mcp/broker.ts'
import { forwardLines } from './process/forward-lines.ts'
import { withoutImitations } from './process/imitations.ts'
import { createLastLine, type LastLine, shownLine } from './process/last-line.ts'
import type { LogFile } from './process/log-file.ts'
import { type ProgramEnd, runProgram } from './process/run-program.ts'
import type { Stop } from './process/stop.ts'
import { connectPublisher, type PublisherClient } from './submission/publisher-client.ts'
import { submitWork } from './submission/submit-work.ts'
import type { ControlPlane } from './upload/control-plane.ts'
import type { KeptTranscript } from './upload/kept-transcript.ts'
import type { Uploads } from './upload/uploads.ts'
import { guessAdapter, readerOf } from './usage/adapter.ts'
import { aiderError } from './usage/aider.ts'
import type { OutputReading } from './usage/output-reading.ts'
import { type AgentReport, readReport } from './usage/report-file.ts'
import { usageInLog } from './usage/session-log.ts'
import { readUsageLog } from './usage/usage-log.ts'
import { createUsageMeter, type RateLimit, type UsageMeter } from './usage/usage-meter.ts'
import { startUsageReporter } from './usage/usage-reporter.ts'
import { authorOf, commitMessage } from './vcs/commit-message.ts'
import { createGit, type Git } from './vcs/git.ts'
import { createWorkTree, type WorkTree } from './vcs/work-tree.ts'
import { provideSystemPrompt } from './workspace/provide-system-prompt.ts'
import { localPath, writeInWorkspace } from './workspace/workspace-path.ts'
import { excludePatterns, writeInputFiles } from './workspace/write-input-files.ts'

interface StepsOptions {
  readonly assignment: Assignment
  readonly env: Readonly<Record<string, string | undefined>>
  readonly mask: SecretMask
  readonly stop: Stop
  readonly hurry: AbortSignal
  readonly log: Logger
  readonly logFile: LogFile | undefined
  /** If omitted, nothing is uploaded. */
  readonly uploads?: Uploads | undefined
  /** If omitted, none is kept. */
  readonly transcript?: Pick<KeptTranscript, 'output'> | undefined
  /** Where usage is reported to. If omitted, it is known at the end only. */
  readonly controlPlane?: ControlPlane | undefined
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
  readonly adapter: AdapterName
  readonly meter: UsageMeter
  readonly lastStdout: LastLine
  readonly lastStderr: LastLine
  /** What the log of a CLI shows that prints prose. */
  logged: UsageMeter | undefined
  /** An error that such a CLI has printed. */
  printedError: OutputReading | undefined
  /** The environment of the program, once it has one. */
  programEnv: Readonly<Record<string, string>>
  programEnd: ProgramEnd | undefined
  /** If the CLI gets MCP servers. */
  broker: McpBroker | undefined
  /** Set once connected; only where the run may write. */
  publisher: PublisherClient | undefined
}

const defaultGraceSeconds = 20

/** How the steps of a run are done for one assignment. */
export function createSteps(options: StepsOptions): Steps {
  const setup = setUp(options)
  const { config, run, command } = options.assignment
  const author = authorOf(config.vcs, run)
  return {
    binary: command.binary,
    prepare: () => prepare(setup),
    run: (checkout) => runCommand(setup, checkout),
    lastError: () => lastError(setup),
    isUnanswered: () => setup.logged?.isUnanswered() ?? false,
    rateLimit: () => setup.meter.rateLimit() ?? limitIn(setup.printedError),
    collect: (checkout) => collect(setup, checkout),
    ...(setup.canWrite && {
      publish: (tree) =>
        submitWork({
          git: setup.git,
          env: setup.env,
          tree,
          publisher: setup.publisher,
          author,
          message: commitMessage(run),
          agentFolder: dirname(setup.reportPath),
          runName: run.agentRun.name,
          secrets: secretValues(setup),
          mask: setup.mask,
          keepRefused: setup.uploads?.refused,
        }),
    }),
    close: () => {
      setup.publisher?.close()
      setup.broker?.close()
    },
  }
}

/** Of the variables that come from Secrets. */
function secretValues({ assignment, env }: Setup): string[] {
  return (assignment.runner.secretEnv ?? []).flatMap((name) => env[name] ?? [])
}

function setUp(options: StepsOptions): Setup {
  const { config, run, runner, command, options: given } = options.assignment
  const vcs = run.vcs?.mode === 'none' ? undefined : run.vcs
  const repository = join(config.workspace, 'repo')
  const adapter = given.adapter ?? runner.adapter ?? runner.cli ?? guessAdapter(command.binary)
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
      credentials: { kind: 'none' },
      mask: options.mask,
      stop: options.stop,
      timeoutMs: 0,
    }),
    adapter,
    meter: createUsageMeter(readerOf(adapter)),
    lastStdout: createLastLine(),
    lastStderr: createLastLine(),
    logged: undefined,
    printedError: undefined,
    programEnv: {},
    programEnd: undefined,
    broker: undefined,
    publisher: undefined,
  }
}

async function prepare(setup: Setup): Promise<WorkTree | undefined> {
  const { root, reportPath, assignment } = setup
  await mkdir(dirname(reportPath), { recursive: true })
  // An earlier attempt's report would be taken for this one's.
  await rm(reportPath, { recursive: true, force: true })
  const tree = setup.vcs && (await prepareRepository(setup))
  await writeInputFiles(root, tree?.folder, assignment.command.inputFiles)
  return tree
}

async function prepareRepository(setup: Setup): Promise<WorkTree> {
  const { git, repository, canWrite, log, assignment, stop } = setup
  const { repositoryFolder, publishFolder } = assignment.config
  if (repositoryFolder === undefined || (canWrite && publishFolder === undefined)) {
    throw new RunFailure(
      'CheckoutFailed',
      'the platform has not fetched the repository: AGENT_REPOSITORY_DIR or AGENT_PUBLISH_DIR is not set',
    )
  }
  // Before the program starts: the publisher accepts only one connection, which must not be the program's.
  if (canWrite) setup.publisher = await connectPublisher(publishFolder ?? '', stop)
  const tree = await createWorkTree(git, repository, repositoryFolder)
  log.info('work tree ready', { headBranch: tree.head?.name, startCommit: tree.startCommit })
  return tree
}

async function runCommand(setup: Setup, checkout: WorkTree | undefined): Promise<ProgramEnd> {
  const { assignment, root, env, mask, meter, log } = setup
  const { config, run, runner, command, runSpecPath, stdinPath } = assignment
  // What it prints is prose, which may hold anything that its model says.
  const isLogged = setup.adapter === 'aider'
  const systemPromptPath = await provideSystemPrompt(root, {
    mounted: config.systemPromptPath ?? run.systemPromptPath,
    inline: run.systemPrompt,
  })
  const cwd = checkout?.folder ?? root
  setup.broker = await brokerOf(setup, cwd)
  const delivery = await deliverTask(setup, systemPromptPath)
  if (checkout !== undefined) await excludePatterns(checkout.folder, delivery.leaves ?? [])
  const input = stdinPath ?? (delivery.stdin ? taskPathIn(dirname(setup.reportPath)) : undefined)
  if (input !== undefined) await requireFile(input)
  log.info('starting program', { binary: command.binary })
  setup.programEnv = programEnvironment({
    cwd,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !isMcpVariable(name))),
    commandEnv: { ...command.env, ...delivery.env },
    run,
    workspace: root,
    runSpecPath,
    reportPath: setup.reportPath,
    author: authorOf(config.vcs, run),
    ...(systemPromptPath !== undefined && { systemPromptPath }),
    ...(checkout !== undefined && { checkout }),
  })
  const program = {
    binary: command.binary,
    args: [...command.args, ...(delivery.args ?? [])],
    cwd,
    env: setup.programEnv,
    ...(input !== undefined && { stdinPath: input }),
  }
  const endReports =
    setup.controlPlane &&
    startUsageReporter({ target: setup.controlPlane, sample: () => usageSoFar(setup), log })
  const running = runProgram(program, {
    stop: setup.stop.signal,
    hurry: setup.hurry,
    graceMs: (runner.timeouts?.graceSeconds ?? defaultGraceSeconds) * 1000,
    readStdout: (stream) =>
      forwardLines(stream, {
        mask,
        write: tee(setup, 'writeStdout'),
        onLine: (line) => {
          if (isLogged) setup.printedError = aiderError(line) ?? setup.printedError
          else meter.line(line)
          setup.lastStdout.add(line)
        },
      }),
    readStderr: (stream) =>
      forwardLines(stream, {
        mask,
        write: tee(setup, 'writeStderr'),
        onLine: setup.lastStderr.add,
      }),
  })
  setup.programEnd = await running.finally(endReports)
  return setup.programEnd
}

async function brokerOf(setup: Setup, cwd: string): Promise<McpBroker | undefined> {
  const { assignment, reportPath, env, mask } = setup
  const { cli, mcpServers: servers = [] } = assignment.runner
  if (cli === undefined || !usesMcp(cli) || servers.length === 0) return undefined
  const agentFolder = dirname(reportPath)
  return startMcpBroker({ servers, agentFolder, env, cwd, cli, mask })
}

/** If the program is a CLI that the runner knows, it gets its task and system prompt by its own means. */
async function deliverTask(
  { assignment, root, reportPath, env, broker }: Setup,
  systemPromptPath: string | undefined,
): Promise<Delivery> {
  const { cli } = assignment.runner
  if (cli === undefined) return { stdin: false }
  const agentFolder = dirname(reportPath)
  const taskPath = taskPathIn(agentFolder)
  await writeInWorkspace(root, taskPath, taskText(assignment.run.implementation))
  const own = { ...env, ...assignment.command.env }
  const mcpServers = broker?.programs ?? []
  const { skillsFolder } = assignment.config
  const skills = (assignment.runner.skills ?? []).map(({ name, isFetched = false }) => ({
    name,
    mounted: isFetched ? join(skillsFolder, name) : localPath(root, skillMount(name)),
    isFetched,
  }))
  const given = { agentFolder, taskPath, systemPromptPath, env: own, mcpServers, skills }
  return deliver(cli, given)
}

/** What the program reported as an error, else the last line that it wrote to standard error, else to its output. */
function lastError(setup: Setup): string | undefined {
  const { meter, logged, printedError, lastStderr, lastStdout, mask } = setup
  const reported = meter.error() ?? logged?.error() ?? printedError?.error
  return (
    (reported !== undefined ? shownLine(reported, mask) : undefined) ??
    lastStderr.shown(mask) ??
    lastStdout.shown(mask)
  )
}

function limitIn(reading: OutputReading | undefined): RateLimit | undefined {
  if (reading?.isRateLimited !== true) return undefined
  const { retryAfterSeconds } = reading
  return retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
}

function tee(setup: Setup, write: 'writeStdout' | 'writeStderr') {
  const ownRun = setup.assignment.run.agentRun.name
  return async (output: string) => {
    const text = withoutImitations(output, ownRun)
    setup.transcript?.output(write === 'writeStdout' ? 'stdout' : 'stderr', text)
    await setup[write](text)
    await setup.logFile?.write(text)
  }
}

async function requireFile(path: string): Promise<void> {
  const entry = await stat(path).catch(() => undefined)
  if (entry?.isFile() === true) return
  throw new RunFailure(
    'WorkspaceFailed',
    `the file for the program's standard input, ${path}, does not exist or is not a file`,
  )
}

async function collect(setup: Setup, checkout: WorkTree | undefined): Promise<Findings> {
  const { assignment, root, meter } = setup
  const { run, runner } = assignment
  const declared = run.artifacts ?? runner.providerSpec?.outputArtifacts ?? []
  const { artifacts, missing } = await collectArtifacts(
    declared,
    (path) => localPath(root, path, checkout?.folder ?? root),
    setup.uploads?.file,
  )
  const { outputs, pullRequest, ...report } = await readProgramReport(setup)
  const usage = await usageOf(setup, report)
  const summary = report.summary ?? meter.summary()
  const warnings = warningsOf(setup)
  return {
    artifacts,
    missingArtifacts: missing,
    ...(usage !== undefined && { usage }),
    ...(summary !== undefined && { summary }),
    ...(outputs !== undefined && { outputs }),
    ...(pullRequest !== undefined && { pullRequest }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** What the program has used, so far or in the end: as it reports itself, prints or keeps in a log. */
async function usageOf(setup: Setup, report: AgentReport): Promise<Usage | undefined> {
  const { adapter, meter, programEnv, reportPath } = setup
  if (adapter === 'aider') {
    setup.logged = await readUsageLog(aiderLogIn(dirname(reportPath)), readerOf(adapter))
  }
  const counted = setup.logged ?? meter
  const inLog = () => usageInLog(adapter, meter.session(), programEnv)
  const printed = report.usage ? withTotal(report.usage) : counted.usage()
  const usage = printed ?? (await inLog())
  // Codex prints what it has used and not of which model.
  const isOfUnnamedModel = adapter === 'codex' && printed !== undefined && !printed.models
  const { models } = isOfUnnamedModel && !report.usage ? ((await inLog()) ?? {}) : {}
  const all = { ...counted.activity(), ...usage, ...(models && { models }) }
  return Object.keys(all).length === 0 ? undefined : maskedUsage(all, setup.mask)
}

/** Its report may be half written. */
async function usageSoFar(setup: Setup): Promise<Usage | undefined> {
  const report = await readReport(setup.reportPath)
  return usageOf(setup, report?.ok === true ? report.value : {})
}

/** What the agent did without, although it was to have it. */
function warningsOf({ assignment, broker, programEnd }: Setup): string[] {
  const { cli, mcpServers: servers = [], skills = [] } = assignment.runner
  const withoutSkills =
    cli === undefined && skills.length > 0
      ? [`provider ${assignment.runner.provider} has no cli, so the agent had no skills`]
      : []
  const names = servers.map(({ name }) => name).join(', ')
  if (servers.length > 0 && !usesMcp(cli)) {
    const which = cli ?? `provider ${assignment.runner.provider}`
    const warning = `${which} cannot use MCP servers, so the agent had no tools of ${names}`
    return [...withoutSkills, warning]
  }
  const hasSucceeded = programEnd?.kind === 'exited' && programEnd.code === 0
  return [...withoutSkills, ...(broker?.warnings(hasSucceeded) ?? [])]
}

async function readProgramReport({ reportPath, log }: Setup): Promise<AgentReport> {
  const report = await readReport(reportPath)
  if (report === undefined) return {}
  if (report.ok) return report.value
  const problems = report.problems.map((problem) => formatProblem('report.json', problem))
  log.warn('ignoring the invalid report of the program', { problems })
  return {}
}
