import { constants } from 'node:os'
import type { Logger } from '@agents/log'
import { exitCodeOf, outcomeOf, type Reason } from './contract/outcome.ts'
import type { RunResult } from './contract/run-result.ts'
import type { ProgramEnd } from './process/run-program.ts'
import { type Stop, stopAfter, throwIfStopped } from './process/stop.ts'
import type { Reporter } from './report/reporter.ts'
import { RunFailure } from './run-failure.ts'
import type { Checkout } from './vcs/check-out.ts'
import { describeCheckout } from './vcs/publish.ts'

/** What is known by the time the program has ended, however it ended. */
export type Findings = Pick<
  RunResult,
  'artifacts' | 'missingArtifacts' | 'usage' | 'summary' | 'outputs'
> & { readonly pullRequest?: NonNullable<RunResult['vcs']>['pullRequest'] }

/** The steps of a run; each fails by throwing a RunFailure. */
export interface Steps {
  readonly binary: string
  prepare(): Promise<Checkout | undefined>
  run(checkout: Checkout | undefined): Promise<ProgramEnd>
  collect(checkout: Checkout | undefined): Promise<Findings>
  /** Undefined where the run may only read. */
  readonly publish?: (checkout: Checkout) => Promise<RunResult['vcs']>
}

export interface CarryOutOptions {
  readonly steps: Steps
  readonly reporter: Reporter
  readonly log: Logger
  readonly stop: Stop
  /** For preparing and running; work that is done is not thrown away for want of time. */
  readonly runSeconds: number
  readonly now: () => Date
}

/** A whole run, from nothing to its result. Never throws. */
export async function carryOut(options: CarryOutOptions): Promise<RunResult> {
  const { steps, reporter, log, stop, runSeconds, now } = options
  const startedAt = now().toISOString()
  const known: Known = { findings: { artifacts: [], missingArtifacts: [] } }
  const callOff = stopAfter(stop, runSeconds)
  const verdict = await judge(() => goThrough(steps, reporter, stop, callOff, known), log)
  callOff()
  const { pullRequest, ...findings } = known.findings
  return {
    outcome: outcomeOf(verdict.reason),
    reason: verdict.reason,
    message: verdict.message,
    exitCode: exitCodeOf(verdict.reason, programCode(known.end)),
    ...(known.end?.kind === 'killed' && { signal: known.end.signal }),
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

async function goThrough(
  steps: Steps,
  reporter: Reporter,
  stop: Stop,
  callOff: () => void,
  known: Known,
): Promise<string> {
  await reporter.begin()
  const checkout = await steps.prepare()
  if (checkout !== undefined) known.vcs = describeCheckout(checkout)
  throwIfStopped(stop)
  await reporter.phase('Running')
  known.end = await steps.run(checkout)
  callOff()
  await reporter.phase('Collecting')
  known.findings = await steps.collect(checkout)
  throwIfStopped(stop)
  demandSuccess(known.end, steps.binary)
  if (checkout === undefined || steps.publish === undefined) return describe(known)
  await reporter.phase('Publishing')
  known.vcs = await steps.publish(checkout)
  return describe(known)
}

interface Verdict {
  readonly reason: Reason
  readonly message: string
}

async function judge(attempt: () => Promise<string>, log: Logger): Promise<Verdict> {
  try {
    return { reason: 'Succeeded', message: await attempt() }
  } catch (error) {
    if (error instanceof RunFailure) return { reason: error.reason, message: error.message }
    log.error('the runner failed', { error })
    const message = error instanceof Error ? error.message : String(error)
    return { reason: 'RunnerFailed', message }
  }
}

function demandSuccess(end: ProgramEnd, binary: string): void {
  if (end.kind === 'exited' && end.code === 0) return
  if (end.kind === 'exited') {
    throw new RunFailure('ProgramFailed', `${binary} ended with exit code ${end.code}`)
  }
  if (end.kind === 'killed') {
    throw new RunFailure('ProgramKilled', `${binary} was ended by ${end.signal}`)
  }
  if (end.code === 'ENOENT') {
    throw new RunFailure('ProgramNotFound', `the image has no program ${binary}`)
  }
  throw new RunFailure('ProgramNotStarted', `${binary} cannot be started: ${end.code}`)
}

function programCode(end: ProgramEnd | undefined): number {
  if (end?.kind === 'exited' && end.code !== 0) return end.code
  if (end?.kind === 'killed') return 128 + constants.signals[end.signal]
  return 1
}

function describe({ findings, vcs }: Known): string {
  const parts = [
    'the program succeeded',
    ...(vcs?.pushed === true ? [`its work is on ${vcs.headBranch}`] : []),
    ...(findings.missingArtifacts.length > 0
      ? [`not there: ${findings.missingArtifacts.join(', ')}`]
      : []),
  ]
  return parts.join('; ')
}
