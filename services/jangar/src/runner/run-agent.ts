import { createLogger, type LogFormat, type Logger } from '@agents/log'
import { maskedResult } from '../run-contract/masked-result.ts'
import { exitCodeOf, outcomeOf, type Reason } from '../run-contract/outcome.ts'
import { podPaths } from '../run-contract/pod-paths.ts'
import type { RunResult } from '../run-contract/run-result.ts'
import {
  createSecretMask,
  hiddenNotice,
  type SecretMask,
  secretsIn,
} from '../run-contract/secrets/secret-mask.ts'
import { formatTerminationMessage } from '../run-contract/termination-message.ts'
import { usageText } from './command/parse-arguments.ts'
import { executeRun } from './execute-run.ts'
import { type Assignment, loadAssignment } from './load-assignment.ts'
import { type LogFile, openLog } from './process/log-file.ts'
import type { Stop } from './process/stop.ts'
import { createReporter } from './report/reporter.ts'
import { writeTerminationMessage } from './report/write-termination-message.ts'
import { createSteps } from './steps.ts'
import { type KeptLog, openKeptLog } from './upload/kept-log.ts'
import { openTranscript } from './upload/kept-transcript.ts'
import { createUploader } from './upload/uploader.ts'
import { createUploads } from './upload/uploads.ts'
import { localPath } from './workspace/workspace-path.ts'

/** What the runner gets from its process. */
interface RunnerContext {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  readonly logFormat: LogFormat
  readonly stop: Stop
  /** Aborts when a second signal asks for an immediate stop. */
  readonly hurry: AbortSignal
  readonly now: () => Date
}

/** Performs one run, from its documents to its reports. Returns the exit code of the process. */
export async function runAgent(context: RunnerContext): Promise<number> {
  if (wantsHelp(context.argv)) {
    await writeTo(context.stdout)(usageText)
    return 0
  }
  const loaded = await loadAssignment(context.argv, context.env)
  return loaded.ok
    ? runAssignment(loaded.value, context)
    : refuse(loaded.reason, loaded.problems, context)
}

function wantsHelp(argv: readonly string[]): boolean {
  const dashes = argv.indexOf('--')
  const own = dashes === -1 ? argv : argv.slice(0, dashes)
  return own.includes('--help') || own.includes('-h')
}

const defaultLogRetentionSeconds = 7 * 86_400

async function runAssignment(assignment: Assignment, given: RunnerContext): Promise<number> {
  const { config, runner, run, command } = assignment
  const { env, stop, hurry, now } = given
  const { url, folder, ...trust } = config.upload
  const target = url !== undefined && folder !== undefined ? { url, folder, ...trust } : undefined
  const keptLog =
    target && tryKeep(() => openKeptLog(localPath(config.workspace, podPaths.reports)))
  const context = keptLog ? copied(given, keptLog) : given
  const mask = createSecretMask(secretsIn(env, runner.secretEnv))
  const log = createRunnerLogger(context, mask).with({
    namespace: run.agentRun.namespace,
    run: run.agentRun.name,
  })
  const statusPath = runner.artifacts?.statusPath ?? podPaths.status
  const logPath = runner.artifacts?.logPath ?? podPaths.log
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
  const retention = runner.artifacts?.logRetentionSeconds ?? defaultLogRetentionSeconds
  const logFile = await tryOpenLog(localPath(config.workspace, logPath), retention, now(), log)
  const uploads = target && createUploads(createUploader(target), log, stop)
  const transcript =
    target &&
    tryKeep(() =>
      openTranscript(localPath(config.workspace, podPaths.reports), assignment, mask, now()),
    )
  const steps = createSteps({
    assignment,
    uploads,
    transcript,
    controlPlane: target,
    env,
    mask,
    stop,
    hurry,
    log,
    logFile,
    writeStdout: writeTo(context.stdout),
    writeStderr: writeTo(context.stderr),
  })
  const runSeconds = runner.timeouts?.runSeconds ?? 0
  const result = maskedResult(
    await executeRun({ steps, reporter, log, stop, runSeconds, now }),
    mask,
  )
  await reporter.finish(result)
  await logFile?.close()
  const path = config.terminationMessagePath ?? runner.artifacts?.terminationMessagePath
  await reportResult(result, path && localPath(config.workspace, path), log)
  if (transcript !== undefined) await uploads?.transcript(transcript.end(result))
  transcript?.close()
  // The last line is written: the log is whole.
  if (keptLog !== undefined) await uploads?.log(keptLog)
  keptLog?.close()
  return result.exitCode
}

function tryKeep<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch {
    // The first report says that the workspace cannot be written to.
    return undefined
  }
}

function copied(context: RunnerContext, { copyOf }: KeptLog): RunnerContext {
  return { ...context, stdout: copyOf(context.stdout), stderr: copyOf(context.stderr) }
}

async function refuse(
  reason: Reason,
  problems: readonly string[],
  context: RunnerContext,
): Promise<number> {
  const mask = createSecretMask(secretsIn(context.env))
  const at = context.now().toISOString()
  const result: RunResult = {
    outcome: outcomeOf(reason),
    reason,
    message: mask.hidesAll ? hiddenNotice : mask(problems.join('\n')),
    exitCode: exitCodeOf(reason),
    startedAt: at,
    finishedAt: at,
    artifacts: [],
    missingArtifacts: [],
  }
  const log = createRunnerLogger(context, mask)
  for (const problem of problems) log.error('cannot start the run', { reason, problem })
  await reportResult(result, context.env.AGENT_TERMINATION_MESSAGE_PATH || undefined, log)
  return result.exitCode
}

async function reportResult(
  result: RunResult,
  path: string | undefined,
  log: Logger,
): Promise<void> {
  const { outcome, reason, message, exitCode, usage } = result
  const fields = { outcome, reason, detail: message, exitCode, usage }
  if (outcome === 'succeeded') log.info('run finished', fields)
  else log.error('run finished', fields)
  const target = path ?? podPaths.terminationMessage
  const isWritten = await writeTerminationMessage(target, formatTerminationMessage(result))
  // Outside a pod the default file does not exist, which is no problem.
  if (!isWritten && path !== undefined) log.warn('cannot write the termination message', { path })
}

function createRunnerLogger(context: RunnerContext, mask: SecretMask): Logger {
  const options = { format: context.logFormat, clock: context.now }
  if (mask.hidesAll) createLogger({ ...options, sink: context.stderr }).warn(hiddenNotice)
  const sink = { write: (line: string) => context.stderr.write(mask(line)) }
  return createLogger({ ...options, sink })
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

/** Waits until the stream has accepted the text. A closed stream does not end the run. */
function writeTo(stream: NodeJS.WritableStream): (text: string) => Promise<void> {
  return (text) => new Promise((resolve) => stream.write(text, () => resolve()))
}
