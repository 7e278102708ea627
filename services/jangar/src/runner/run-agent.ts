import { createLogger, type LogFormat, type Logger } from '@agents/log'
import { carryOut } from './carry-out.ts'
import { USAGE } from './command/parse-arguments.ts'
import { mapText } from './contract/map-text.ts'
import { exitCodeOf, outcomeOf, type Reason } from './contract/outcome.ts'
import type { RunResult } from './contract/run-result.ts'
import { LOG_PATH, STATUS_PATH, TERMINATION_MESSAGE_PATH } from './contract/runner-spec.ts'
import { formatTerminationMessage } from './contract/termination-message.ts'
import { type Assignment, loadAssignment } from './load-assignment.ts'
import { type LogFile, openLog } from './process/log-file.ts'
import { createSecretMask, type SecretMask, secretsIn } from './process/secret-mask.ts'
import type { Stop } from './process/stop.ts'
import { createReporter } from './report/reporter.ts'
import { writeTerminationMessage } from './report/write-termination-message.ts'
import { createSteps } from './steps.ts'
import { basicAuth, credentialsOf } from './vcs/credentials.ts'
import { localPath } from './workspace/workspace-path.ts'

/** What the runner has of the world. */
export interface RunnerWorld {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  readonly logFormat: LogFormat
  readonly stop: Stop
  /** Aborts when whoever asked for the stop will not wait any longer. */
  readonly hurry: AbortSignal
  readonly now: () => Date
}

/** One run from its documents to its reports. Returns the exit code of the process. */
export async function runAgent(world: RunnerWorld): Promise<number> {
  if (asksForHelp(world.argv)) {
    await writeTo(world.stdout)(USAGE)
    return 0
  }
  const loaded = await loadAssignment(world.argv, world.env)
  return loaded.ok
    ? runAssignment(loaded.value, world)
    : refuse(loaded.reason, loaded.problems, world)
}

function asksForHelp(argv: readonly string[]): boolean {
  const dashes = argv.indexOf('--')
  const own = dashes === -1 ? argv : argv.slice(0, dashes)
  return own.includes('--help') || own.includes('-h')
}

const DEFAULT_LOG_RETENTION_SECONDS = 7 * 86_400

async function runAssignment(assignment: Assignment, world: RunnerWorld): Promise<number> {
  const { config, runner, run, command } = assignment
  const { env, stop, hurry, now } = world
  const mask = maskFor(assignment, env)
  const log = createRunnerLogger(world, mask).with({
    namespace: run.agentRun.namespace,
    run: run.agentRun.name,
  })
  const statusPath = runner.artifacts?.statusPath ?? STATUS_PATH
  const logPath = runner.artifacts?.logPath ?? LOG_PATH
  const reporter = createReporter({
    path: localPath(config.workspace, statusPath),
    first: {
      schemaVersion: 1,
      provider: runner.provider,
      binary: command.binary,
      startedAt: now().toISOString(),
      artifacts: { statusPath, logPath, outputArtifacts: [], missing: [] },
    },
    log,
  })
  const retention = runner.artifacts?.logRetentionSeconds ?? DEFAULT_LOG_RETENTION_SECONDS
  const logFile = await tryOpenLog(localPath(config.workspace, logPath), retention, now(), log)
  const steps = createSteps({
    assignment,
    env,
    mask,
    stop,
    hurry,
    log,
    logFile,
    writeStdout: writeTo(world.stdout),
    writeStderr: writeTo(world.stderr),
  })
  const runSeconds = runner.timeouts?.runSeconds ?? 0
  const result = mapText(await carryOut({ steps, reporter, log, stop, runSeconds, now }), mask)
  await reporter.finish(result)
  await logFile?.close()
  const path = config.terminationMessagePath ?? runner.artifacts?.terminationMessagePath
  await tell(result, path && localPath(config.workspace, path), log)
  return result.exitCode
}

async function refuse(
  reason: Reason,
  problems: readonly string[],
  world: RunnerWorld,
): Promise<number> {
  const mask = createSecretMask(secretsIn(world.env))
  const at = world.now().toISOString()
  const result: RunResult = {
    outcome: outcomeOf(reason),
    reason,
    message: mask(problems.join('\n')),
    exitCode: exitCodeOf(reason),
    startedAt: at,
    finishedAt: at,
    artifacts: [],
    missingArtifacts: [],
  }
  const log = createRunnerLogger(world, mask)
  for (const problem of problems) log.error('the run cannot start', { reason, problem })
  await tell(result, world.env.AGENT_TERMINATION_MESSAGE_PATH || undefined, log)
  return result.exitCode
}

async function tell(result: RunResult, path: string | undefined, log: Logger): Promise<void> {
  const { outcome, reason, message, exitCode, usage } = result
  const fields = { outcome, reason, detail: message, exitCode, usage }
  if (outcome === 'succeeded') log.info('run finished', fields)
  else log.error('run finished', fields)
  const place = path ?? TERMINATION_MESSAGE_PATH
  const isWritten = await writeTerminationMessage(place, formatTerminationMessage(result))
  // Outside a pod there is no such file, and nobody misses it.
  if (!isWritten && path !== undefined) log.warn('cannot write the termination message', { path })
}

function maskFor({ config, run, runner }: Assignment, env: RunnerWorld['env']): SecretMask {
  const credentials = credentialsOf(config.vcs, run.vcs)
  const header = credentials.kind === 'token' ? [basicAuth(credentials)] : []
  return createSecretMask([...secretsIn(env, runner.secretEnv), ...header])
}

function createRunnerLogger(world: RunnerWorld, mask: SecretMask): Logger {
  const sink = { write: (line: string) => world.stderr.write(mask(line)) }
  return createLogger({ sink, format: world.logFormat, clock: world.now })
}

async function tryOpenLog(
  path: string,
  retentionSeconds: number,
  now: Date,
  log: Logger,
): Promise<LogFile | undefined> {
  try {
    return await openLog(path, { retentionMs: retentionSeconds * 1000, now })
  } catch (error) {
    log.warn('cannot write the log file', { error })
    return undefined
  }
}

/** Waits until the stream has taken the text. A reader that has gone away is no reason to end a run. */
function writeTo(stream: NodeJS.WritableStream): (text: string) => Promise<void> {
  return (text) => new Promise((resolve) => stream.write(text, () => resolve()))
}
