import { constants } from 'node:os'
import type { Logger } from '@agents/log'
import { exitCodeOf, outcomeOf, type Reason } from '../run-contract/outcome.ts'
import { RunFailure } from '../run-contract/run-failure.ts'
import type { RunResult } from '../run-contract/run-result.ts'
import type { ProgramEnd } from './process/run-program.ts'
import { type Stop, stopAfter, throwIfStopped } from './process/stop.ts'
import type { Reporter } from './report/reporter.ts'
import type { RateLimit } from './usage/usage-meter.ts'
import { describeCheckout } from './vcs/describe-checkout.ts'
import type { WorkTree } from './vcs/work-tree.ts'

/** What was collected after the program exited, successfully or not. */
export type Findings = Pick<
  RunResult,
  'artifacts' | 'missingArtifacts' | 'usage' | 'summary' | 'outputs' | 'warnings'
> & { readonly pullRequest?: NonNullable<RunResult['vcs']>['pullRequest'] }

/** The steps of a run; each fails by throwing a RunFailure. */
export interface Steps {
  readonly binary: string
  prepare(): Promise<WorkTree | undefined>
  run(checkout: WorkTree | undefined): Promise<ProgramEnd>
  /** The last error that the program reported, masked; for the message of a failure. */
  lastError(): string | undefined
  /** Whether the program ended with exit code 0 although its model has not answered. */
  isUnanswered(): boolean
  /** Whether the program's model refused its last requests because there were too many. */
  rateLimit(): RateLimit | undefined
  collect(checkout: WorkTree | undefined): Promise<Findings>
  /** Undefined if the run has read-only access. */
  readonly publish?: (tree: WorkTree) => Promise<RunResult['vcs']>
  /** Releases all resources. */
  close(): void
}

interface ExecuteRunOptions {
  readonly steps: Steps
  readonly reporter: Reporter
  readonly log: Logger
  readonly stop: Stop
  /** The limit for preparing and running. Publishing is not limited, so that finished work is not lost. */
  readonly runSeconds: number
  readonly now: () => Date
}

/** Executes all steps of a run and returns its result. Never throws. */
export async function executeRun(options: ExecuteRunOptions): Promise<RunResult> {
  const { steps, reporter, log, stop, runSeconds, now } = options
  const startedAt = now().toISOString()
  const known: Known = { findings: { artifacts: [], missingArtifacts: [] } }
  const cancelTimeout = stopAfter(stop, runSeconds)
  const verdict = await judge(() => runSteps(steps, reporter, stop, cancelTimeout, known), log)
  cancelTimeout()
  steps.close()
  const { pullRequest, ...findings } = known.findings
  return {
    outcome: outcomeOf(verdict.reason),
    reason: verdict.reason,
    message: verdict.message,
    exitCode: exitCodeOf(verdict.reason, programCode(known.end)),
    ...(known.end?.kind === 'killed' && { signal: known.end.signal }),
    ...(verdict.reason === 'RateLimited' && steps.rateLimit()),
    startedAt,
    finishedAt: now().toISOString(),
    ...findings,
    ...(known.vcs && { vcs: { ...known.vcs, ...(pullRequest && { pullRequest }) } }),
  }
}

interface Known {
  findings: Findings
  vcs?: RunResult['vcs']
  end?: ProgramEnd
}

async function runSteps(
  steps: Steps,
  reporter: Reporter,
  stop: Stop,
  cancelTimeout: () => void,
  known: Known,
): Promise<Verdict> {
  await reporter.begin()
  const checkout = await steps.prepare()
  if (checkout !== undefined) known.vcs = describeCheckout(checkout)
  throwIfStopped(stop)
  await reporter.phase('Running')
  known.end = await steps.run(checkout)
  cancelTimeout()
  await reporter.phase('Collecting')
  known.findings = await steps.collect(checkout)
  throwIfStopped(stop)
  requireSuccess(known.end, steps)
  if (checkout === undefined || steps.publish === undefined) return verdictOn(known)
  await reporter.phase('Publishing')
  known.vcs = await steps.publish(checkout)
  return verdictOn(known, known.vcs?.pushed !== true)
}

interface Verdict {
  readonly reason: Reason
  readonly message: string
}

async function judge(attempt: () => Promise<Verdict>, log: Logger): Promise<Verdict> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof RunFailure) return { reason: error.reason, message: error.message }
    log.error('runner failed', { error })
    const message = error instanceof Error ? error.message : String(error)
    return { reason: 'RunnerFailed', message }
  }
}

function requireSuccess(end: ProgramEnd, { binary, ...steps }: Steps): void {
  const isUnanswered = end.kind === 'exited' && end.code === 0 && steps.isUnanswered()
  if (end.kind === 'exited' && end.code === 0 && !isUnanswered) return
  const error = steps.lastError()
  const cause = error === undefined ? '' : `: ${error}`
  if (end.kind === 'exited') {
    const reason = steps.rateLimit() === undefined ? 'ProgramFailed' : 'RateLimited'
    const how = isUnanswered ? 'without an answer of its model' : `with exit code ${end.code}`
    throw new RunFailure(reason, `${binary} ended ${how}${cause}`)
  }
  if (end.kind === 'killed') {
    throw new RunFailure('ProgramKilled', `${binary} was killed by ${end.signal}${cause}`)
  }
  if (end.code === 'ENOENT') {
    const { closedFolders = [] } = end
    const closed =
      closedFolders.length === 0
        ? ''
        : `; the user of the run cannot enter ${closedFolders.join(', ')} of its PATH`
    // The runner cannot tell whether its container has an image or is a process of the local platform.
    throw new RunFailure(
      'ProgramNotFound',
      `the program ${binary} was not found: install it in the image of the run, or on this machine if pods run as processes${closed}`,
    )
  }
  const denied =
    end.code === 'EACCES' ? 'the user of the run may not execute it (EACCES)' : end.code
  throw new RunFailure('ProgramNotStarted', `${binary} cannot be started: ${denied}`)
}

function programCode(end: ProgramEnd | undefined): number {
  if (end?.kind === 'exited' && end.code !== 0) return end.code
  if (end?.kind === 'killed') return 128 + constants.signals[end.signal]
  return 1
}

function verdictOn({ findings, vcs }: Known, isUnchanged = false): Verdict {
  const parts = [
    'the program succeeded',
    ...(isUnchanged ? ['it changed nothing in the repository'] : []),
    ...(vcs?.pushed === true ? [`its work was pushed to ${vcs.headBranch}`] : []),
    ...(findings.missingArtifacts.length > 0
      ? [`missing artifacts: ${findings.missingArtifacts.join(', ')}`]
      : []),
  ]
  return { reason: isUnchanged ? 'NoChanges' : 'Succeeded', message: parts.join('; ') }
}
