import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError, parseConfig } from '@agents/config'
import { secretsOf as secretsOfCredentials } from '@agents/git'
import { createLogger, type LogFormat, type Logger } from '@agents/log'
import { formatProblem } from '../../reader/reader.ts'
import { maskedResult } from '../../run-contract/masked-result.ts'
import { exitCodeOf, outcomeOf, type Reason } from '../../run-contract/outcome.ts'
import {
  gitFolderName,
  parseRepositoryPlan,
  type RepositoryPlan,
  repositoryPlanVariable,
} from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { RunResult, VcsResult } from '../../run-contract/run-result.ts'
import { createSecretMask, type SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { formatTerminationMessage } from '../../run-contract/termination-message.ts'
import type { Stop } from '../process/stop.ts'
import { writeTerminationMessage } from '../report/write-termination-message.ts'
import { type Credentials, credentialsOf } from '../vcs/credentials.ts'
import { createGit, type Git } from '../vcs/git.ts'
import { type PublisherEnvironment, publisherEnvironment } from './publisher-environment.ts'

/** What `checkout` and `publish` get from their process. */
export interface PublisherContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  readonly logFormat: LogFormat
  readonly stop: Stop
  readonly now: () => Date
}

/** What `checkout` and `publish` work with. */
export interface PublisherParts {
  readonly config: PublisherEnvironment
  readonly plan: RepositoryPlan
  readonly log: Logger
  readonly mask: SecretMask
  /** Values that must not be part of what is pushed. */
  readonly secrets: readonly string[]
  /** Works in the repository that only these programs write to. */
  readonly git: Git
  readonly gitFolder: string
  readonly gitEnv: Readonly<Record<string, string | undefined>>
}

export interface Finished {
  readonly message: string
  readonly vcs?: VcsResult
}

const defaultGitSeconds = 300

/** Runs one of the programs and reports its end through the termination message. Returns the exit code. */
export async function runPublisherProgram(
  name: string,
  context: PublisherContext,
  work: (parts: PublisherParts) => Promise<Finished>,
): Promise<number> {
  const startedAt = context.now().toISOString()
  const problems: string[] = []
  const config = readEnvironment(context, problems)
  const plan = config && readPlan(config.plan, problems)
  const secrets = config && plan ? await secretsOf(config, plan) : []
  const mask = createSecretMask(secrets)
  const log = createLogger({
    sink: { write: (line: string) => context.stderr.write(mask(line)) },
    format: context.logFormat,
    clock: context.now,
  }).with({ program: name })
  const ended = await judge(async () => {
    if (config === undefined || plan === undefined) {
      throw new RunFailure('InvalidSpec', problems.join('\n'))
    }
    return work(partsOf(context, config, plan, secrets, mask, log))
  })
  const result: RunResult = maskedResult(
    {
      outcome: outcomeOf(ended.reason),
      reason: ended.reason,
      message: ended.message,
      exitCode: exitCodeOf(ended.reason),
      startedAt,
      finishedAt: context.now().toISOString(),
      artifacts: [],
      missingArtifacts: [],
      ...(ended.vcs !== undefined && { vcs: ended.vcs }),
    },
    mask,
  )
  const fields = { reason: result.reason, detail: result.message, vcs: result.vcs }
  if (result.outcome === 'succeeded') log.info(`${name} finished`, fields)
  else log.error(`${name} failed`, fields)
  const path = config?.terminationMessagePath
  if (path !== undefined) await writeTerminationMessage(path, formatTerminationMessage(result))
  return result.exitCode
}

/** A failure together with the state of the repository. */
export class PublishFailure extends RunFailure {
  readonly vcs: VcsResult

  constructor(reason: Reason, message: string, vcs: VcsResult) {
    super(reason, message)
    this.vcs = vcs
  }
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

function readEnvironment(
  { env }: PublisherContext,
  problems: string[],
): PublisherEnvironment | undefined {
  try {
    return parseConfig(publisherEnvironment, env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems.map((one) => `${one.env}: expected ${one.expected}`))
    return undefined
  }
}

function readPlan(document: string, problems: string[]): RepositoryPlan | undefined {
  const read = parseRepositoryPlan(document)
  if (read.ok) return read.value
  problems.push(...read.problems.map((problem) => formatProblem(repositoryPlanVariable, problem)))
  return undefined
}

async function secretsOf(
  { credential }: PublisherEnvironment,
  plan: RepositoryPlan,
): Promise<string[]> {
  const credentials = credentialsOf(credential, plan.vcs)
  if (credentials.kind !== 'ssh') return secretsOfCredentials(credentials)
  const key = await readFile(credentials.keyFile, 'utf8').catch(() => '')
  // The first and last line are the same for all keys.
  return key.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))
}

function partsOf(
  { env, stop }: PublisherContext,
  config: PublisherEnvironment,
  plan: RepositoryPlan,
  secrets: readonly string[],
  mask: SecretMask,
  log: Logger,
): PublisherParts {
  const credentials: Credentials = credentialsOf(config.credential, plan.vcs, plan.hostKeyPolicy)
  const gitFolder = join(config.repositoryFolder, gitFolderName)
  const git = createGit({
    folder: config.repositoryFolder,
    gitFolder,
    env,
    credentials,
    mask,
    stop,
    timeoutMs: (plan.gitSeconds ?? defaultGitSeconds) * 1000,
  })
  return { config, plan, log, mask, secrets, git, gitFolder, gitEnv: env }
}
