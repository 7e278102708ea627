import type { AgentRun } from '@agents/jangar-api'
import { shortDuration } from '../cli/duration.ts'

/** What a run that has begun may still come to: its limits are those that were decided when it began. */
export function whileRunning(run: AgentRun, now: Date): string[] {
  const { spec, status, metadata } = run
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
  const whenFree = `begins when nothing keeps it any more: ${saidOf(run)}.`
  const course = (): string => {
    if (isBetweenSteps) return `The next step ${whenFree}`
    if (!isRetrying) return 'It ends when its work does.'
    return waitMs > 0
      ? `${next} begins in ${shortDuration(waitMs)}.`
      : `${next} is due, and ${whenFree}`
  }
  return [
    course(),
    ...(attemptLeft === undefined
      ? []
      : [`This attempt is ended in ${attemptLeft} if it has not finished by then.`]),
    ...(runLeft === undefined
      ? []
      : [`The run is ended in ${runLeft} if it has not finished by then.`]),
    ...(isRetrying || isBetweenSteps || remaining <= 0
      ? []
      : [`If this attempt fails, it is tried again; ${remaining} left.`]),
    `To see what it does: agentctl logs -f ${metadata.name}`,
    `To stop it: agentctl cancel ${metadata.name}`,
  ]
}

function saidOf({ status }: AgentRun): string {
  const summary = status?.conditions?.find(({ type }) => type === 'Succeeded')
  return summary?.message ?? ''
}

interface Decided {
  readonly runTimeoutSeconds?: number | bigint
  readonly limits?: {
    readonly retries?: number | bigint
    readonly timeoutSeconds?: number | bigint
  }
  readonly task?: {
    readonly phase?: string
    readonly nextRetryAt?: string
    readonly startedAt?: string
  }
}

function decidedFor({ status }: AgentRun): Decided {
  return (status?.runtimeRef ?? {}) as Decided
}

interface Task {
  readonly attempt: number
  readonly isRetrying: boolean
  readonly isBetweenSteps: boolean
  readonly nextRetryAt: string | undefined
  readonly startedAt: string | undefined
}

/** The step that is on, or the run as a whole. */
function taskOf(run: AgentRun): Task {
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
