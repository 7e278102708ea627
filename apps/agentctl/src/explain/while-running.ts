import { shortDuration } from '../cli/duration.ts'
import type { ShownKind, ShownRun } from '../run/run-kind.ts'

/** What can still happen to a started run. Its limits are those that were in effect when it started. */
export function whileRunning(run: ShownRun, now: Date, of: ShownKind): string[] {
  const { spec = {}, status, metadata } = run
  const argument = of.argument(metadata.name)
  const { runTimeoutSeconds = spec.timeoutSeconds ?? 0, limits } = decidedFor(run)
  const retries = Number(limits?.retries ?? spec.retries ?? 0)
  const { attempt, isRetrying, isBetweenSteps, nextRetryAt, startedAt } = taskOf(run)
  const left = (since: string | undefined, seconds: unknown): string | undefined =>
    since === undefined || !(Number(seconds) > 0)
      ? undefined
      : shortDuration(Date.parse(since) + Number(seconds) * 1000 - now.getTime())
  const runLeft = left(status?.startedAt, runTimeoutSeconds)
  const attemptLeft = isRetrying ? undefined : left(startedAt, limits?.timeoutSeconds)
  const remaining = retries - attempt + 1
  const next = `Attempt ${attempt + 1} of ${retries + 1}`
  const waitMs = Date.parse(nextRetryAt ?? '') - now.getTime()
  const whenFree = `starts when this is resolved: ${summaryMessage(run)}.`
  const course = (): string => {
    if (isBetweenSteps) return `The next step ${whenFree}`
    if (!isRetrying) return `It ends when its ${of.program} does.`
    return waitMs > 0
      ? `${next} starts in ${shortDuration(waitMs)}.`
      : `${next} is due and ${whenFree}`
  }
  return [
    course(),
    ...(attemptLeft === undefined ? [] : [`This attempt times out in ${attemptLeft}.`]),
    ...(runLeft === undefined ? [] : [`The run times out in ${runLeft}.`]),
    ...(isRetrying || isBetweenSteps || remaining <= 0
      ? []
      : [
          `If this attempt fails${ofClass(run, limits?.retryOn)}, it is retried; ${remaining} left.`,
        ]),
    `To follow its output: agentctl logs -f ${argument}`,
    `To cancel it: agentctl cancel ${argument}`,
  ]
}

/** Without a list, all failures are retried that can be. */
function ofClass({ spec }: ShownRun, retryOn: readonly string[] = spec?.retryOn ?? []): string {
  return retryOn.length === 0 ? '' : ` with ${retryOn.join(' or ')}`
}

function summaryMessage({ status }: ShownRun): string {
  const summary = status?.conditions?.find(({ type }) => type === 'Succeeded')
  return summary?.message ?? ''
}

interface Decided {
  readonly runTimeoutSeconds?: number | bigint
  readonly limits?: {
    readonly retries?: number | bigint
    readonly retryOn?: readonly string[]
    readonly timeoutSeconds?: number | bigint
  }
  readonly task?: {
    readonly phase?: string
    readonly nextRetryAt?: string
    readonly startedAt?: string
  }
}

function decidedFor({ status }: ShownRun): Decided {
  return (status?.runtimeRef ?? {}) as Decided
}

interface Task {
  readonly attempt: number
  readonly isRetrying: boolean
  readonly isBetweenSteps: boolean
  readonly nextRetryAt: string | undefined
  readonly startedAt: string | undefined
}

/** The current step, or the run as a whole. */
function taskOf(run: ShownRun): Task {
  const { workflow, attempts } = run.status ?? {}
  const step = workflow?.steps?.find(({ phase }) => phase === 'Running' || phase === 'Retrying')
  const { phase, nextRetryAt, startedAt } = step ?? decidedFor(run).task ?? {}
  return {
    attempt: Number((workflow === undefined ? attempts : step?.attempt) ?? 1),
    isRetrying: phase === 'Retrying',
    isBetweenSteps: workflow !== undefined && step === undefined,
    nextRetryAt,
    startedAt,
  }
}
