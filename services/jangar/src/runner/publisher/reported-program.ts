import { ConfigError, type ConfigOf, parseConfig } from '@agents/config'
import { createLogger, type LogFormat, type Logger } from '@agents/log'
import { formatProblem, type ReadResult } from '../../reader/reader.ts'
import { maskedResult } from '../../run-contract/masked-result.ts'
import { exitCodeOf, outcomeOf, type Reason } from '../../run-contract/outcome.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { FetchedSkill, RunResult, VcsResult } from '../../run-contract/run-result.ts'
import { createSecretMask, type SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { formatTerminationMessage } from '../../run-contract/termination-message.ts'
import type { Stop } from '../process/stop.ts'
import { writeTerminationMessage } from '../report/write-termination-message.ts'

/** What `checkout`, `publish` and `skills` get from their process. */
export interface PublisherContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  readonly logFormat: LogFormat
  readonly stop: Stop
  readonly now: () => Date
}

export interface Finished {
  readonly message: string
  readonly vcs?: VcsResult
  readonly skills?: readonly FetchedSkill[]
}

/** A failure together with the state of the repository. */
export class PublishFailure extends RunFailure {
  readonly vcs: VcsResult

  constructor(reason: Reason, message: string, vcs: VcsResult) {
    super(reason, message)
    this.vcs = vcs
  }
}

interface ReportedProgram {
  /** Never shown. */
  readonly secrets: readonly string[]
  readonly terminationMessagePath: string | undefined
  work(tools: { readonly mask: SecretMask; readonly log: Logger }): Promise<Finished>
}

/** Runs a program and reports its end through the termination message. Returns the exit code. */
export async function runReported(
  name: string,
  context: PublisherContext,
  { secrets, terminationMessagePath: path, work }: ReportedProgram,
): Promise<number> {
  const startedAt = context.now().toISOString()
  const mask = createSecretMask(secrets)
  const log = createLogger({
    sink: { write: (line: string) => context.stderr.write(mask(line)) },
    format: context.logFormat,
    clock: context.now,
  }).with({ program: name })
  const { reason, message, vcs, skills } = await judge(() => work({ mask, log }))
  const result: RunResult = maskedResult(
    {
      outcome: outcomeOf(reason),
      reason,
      message,
      exitCode: exitCodeOf(reason),
      startedAt,
      finishedAt: context.now().toISOString(),
      artifacts: [],
      missingArtifacts: [],
      ...(vcs !== undefined && { vcs }),
      ...(skills !== undefined && { skills }),
    },
    mask,
  )
  const fields = { reason: result.reason, detail: result.message, vcs: result.vcs }
  if (result.outcome === 'succeeded') log.info(`${name} finished`, fields)
  else log.error(`${name} failed`, fields)
  if (path !== undefined) await writeTerminationMessage(path, formatTerminationMessage(result))
  return result.exitCode
}

interface Ended extends Finished {
  readonly reason: Reason
}

async function judge(attempt: () => Promise<Finished>): Promise<Ended> {
  try {
    return { reason: 'Succeeded', ...(await attempt()) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (error instanceof PublishFailure) return { reason: error.reason, message, vcs: error.vcs }
    return { reason: error instanceof RunFailure ? error.reason : 'RunnerFailed', message }
  }
}

/** The settings in the environment; undefined if there are problems. */
export function readSettings<const T extends Parameters<typeof parseConfig>[0]>(
  declared: T,
  { env }: PublisherContext,
  problems: string[],
): ConfigOf<T> | undefined {
  try {
    return parseConfig(declared, env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems.map((one) => `${one.env}: expected ${one.expected}`))
    return undefined
  }
}

/** The plan in a variable; undefined if there are problems. */
export function readPlan<T>(
  variable: string,
  read: ReadResult<T>,
  problems: string[],
): T | undefined {
  if (read.ok) return read.value
  problems.push(...read.problems.map((problem) => formatProblem(variable, problem)))
  return undefined
}
