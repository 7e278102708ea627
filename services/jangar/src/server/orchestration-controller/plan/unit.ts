import type { Decisions, StopCause } from './decisions.ts'
import {
  childOf,
  hasChild,
  type ObservedChild,
  type Outputs,
  type PlanInput,
  type PlanStep,
  type UnitState,
} from './plan-states.ts'

/** What one piece of work is observed with. */
export interface UnitContext<Step extends PlanStep> {
  readonly input: PlanInput<Step>
  readonly decisions: Decisions
  readonly step: Step
  /** Undefined if the step is no loop. */
  readonly item: number | undefined
  /** Why the step is being stopped. */
  readonly cause: StopCause | undefined
  /** Whether this plan creates the child. */
  readonly isCreating: (name: string) => boolean
  /** Notes that a child is missing. */
  readonly onMissing: () => void
  /** The rendered fields of a step that has begun. */
  readonly inputs: () => Outputs
}

export const newUnit: UnitState = { phase: 'Pending', attempt: 0 }

/** The unit after what has happened since: its child ended, is missing, or has run out of time. */
export function observeUnit<Step extends PlanStep>(
  unit: UnitState,
  context: UnitContext<Step>,
): UnitState {
  if (!hasChild(context.step)) return unit.phase === 'Running' ? observeWait(unit, context) : unit
  const current = unit.phase === 'Running' ? unit : withUnrecorded(unit, context)
  if (current.phase !== 'Running') return current
  const name = current.child?.name ?? ''
  if (context.isCreating(name)) return current
  const child = childOf(context.input, context.step, name)
  return child === undefined ? missing(current, context) : observeChild(current, child, context)
}

/** The process that created a child may have ended before it recorded that. */
export function withUnrecorded<Step extends PlanStep>(
  unit: UnitState,
  context: Pick<UnitContext<Step>, 'input' | 'step' | 'item'>,
): UnitState {
  const { input, step, item } = context
  if (unit.phase !== 'Pending' && unit.phase !== 'Retrying') return unit
  const attempt = unit.attempt + 1
  const name = input.childName(step.name, item, attempt)
  const child = childOf(input, step, name)
  if (child === undefined) return unit
  const { uid, createdAt: startedAt } = child
  return { phase: 'Running', attempt, startedAt, child: { name, uid } }
}

function observeChild<Step extends PlanStep>(
  unit: UnitState,
  { uid, end }: ObservedChild,
  context: UnitContext<Step>,
): UnitState {
  const { input, step, cause } = context
  const running = uid === undefined || unit.child?.uid === uid ? unit : withUid(unit, uid)
  const isLate = isOver(unit, context)
  if (end === undefined) {
    if (cause !== undefined) return stopping(running, 'Cancelling', stopMessages[cause])
    return isLate ? stopping(running, 'TimingOut', timedOutAfter(step)) : running
  }
  if (end.kind === 'succeeded') {
    const { outputs } = end
    if (input.evaluation.fits(outputs)) return succeeded(running, outputs, input.now)
    return failed(
      running,
      'OutputsTooLarge',
      'the outputs are larger than a step may keep',
      input.now,
    )
  }
  if (end.kind === 'refused') return failed(running, end.reason, end.message, input.now)
  if (end.kind === 'failed') return attemptFailed(running, 'StepFailed', end.message, context)
  if (cause !== undefined) return cancelled(running, cause, input.now)
  if (isLate) return attemptFailed(running, 'StepTimedOut', timedOutAfter(step), context)
  return failed(running, 'ChildCancelled', end.message, input.now)
}

function withUid(unit: UnitState, uid: string): UnitState {
  return { ...unit, child: { name: unit.child?.name ?? '', uid } }
}

function missing<Step extends PlanStep>(unit: UnitState, context: UnitContext<Step>): UnitState {
  context.onMissing()
  const message = `${unit.child?.name} was deleted before it ended`
  return attemptFailed(unit, 'ChildMissing', message, context)
}

function observeWait<Step extends PlanStep>(
  unit: UnitState,
  context: UnitContext<Step>,
): UnitState {
  const { input, step, cause } = context
  const outputs = input.waits.arrived(step, unit, context.inputs())
  if (outputs !== undefined) {
    const { seen: _, ...rest } = unit
    if (input.evaluation.fits(outputs)) return succeeded(rest, outputs, input.now)
    return failed(rest, 'OutputsTooLarge', 'the payload is larger than a step may keep', input.now)
  }
  if (cause !== undefined) return cancelled(unit, cause, input.now)
  return isOver(unit, context)
    ? attemptFailed(unit, 'StepTimedOut', timedOutAfter(step), context)
    : unit
}

function isOver<Step extends PlanStep>(
  unit: UnitState,
  { input, step, decisions }: UnitContext<Step>,
): boolean {
  return input.now >= decisions.deadlineOf(step, unit)
}

function attemptFailed<Step extends PlanStep>(
  unit: UnitState,
  reason: 'StepFailed' | 'StepTimedOut' | 'ChildMissing',
  message: string,
  { input, decisions, step, cause }: UnitContext<Step>,
): UnitState {
  const { now } = input
  if (cause === undefined && decisions.mayRetry(step, unit)) {
    const { attempt, child } = unit
    const nextRetryAt = now + step.retryBackoffSeconds * 1000
    return { phase: 'Retrying', attempt, child, nextRetryAt, reason, message }
  }
  const isExhausted = reason === 'StepFailed' && step.retries > 0 && unit.attempt > step.retries
  return failed(unit, isExhausted ? 'RetriesExhausted' : reason, message, now)
}

/** Stops a unit that has no running child. One that has is stopped when its child has ended. */
export function stopUnit(unit: UnitState, cause: StopCause, now: number): UnitState {
  return unit.phase === 'Pending' || unit.phase === 'Retrying' ? cancelled(unit, cause, now) : unit
}

export const stopMessages: Readonly<Record<StopCause, string>> = {
  RunCancelled: 'the run was cancelled',
  RunTimedOut: 'the run exceeded its timeout',
  RunFailed: 'another step failed',
}

function timedOutAfter({ timeoutSeconds }: PlanStep): string {
  return `the attempt took longer than ${timeoutSeconds} s`
}

function stopping(unit: UnitState, reason: 'Cancelling' | 'TimingOut', message: string): UnitState {
  return unit.reason === reason && unit.message === message ? unit : { ...unit, reason, message }
}

export function succeeded(unit: UnitState, outputs: UnitState['outputs'], now: number): UnitState {
  const { attempt, startedAt, child } = unit
  return { phase: 'Succeeded', attempt, startedAt, finishedAt: now, child, outputs }
}

export function failed(
  unit: UnitState,
  reason: UnitState['reason'],
  message: string,
  now: number,
): UnitState {
  const { attempt, startedAt, child } = unit
  return { phase: 'Failed', attempt, startedAt, finishedAt: now, child, reason, message }
}

function cancelled(unit: UnitState, cause: StopCause, now: number): UnitState {
  const { attempt, startedAt, child } = unit
  const message = stopMessages[cause]
  return { phase: 'Cancelled', attempt, startedAt, finishedAt: now, child, reason: cause, message }
}
