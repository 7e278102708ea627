import type { OrchestrationRun } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import type { GraphStep } from '../definition/graph.ts'
import { hasEnded, type StepReason, type StepState, type UnitState } from '../plan/plan-states.ts'

type Statuses = NonNullable<NonNullable<OrchestrationRun['status']>['stepStatuses']>
export type StepStatus = Statuses[number]
type ItemStatus = NonNullable<StepStatus['items']>[number]
type Progress = Omit<ItemStatus, 'index'>

/**
 * Most steps of a large graph do not change between two reconciles, so each status is read once, and a step that has
 * not changed keeps it.
 */
const readStates = new WeakMap<StepStatus, StepState>()
const recordedStatuses = new WeakMap<StepState, StepStatus>()

/** What the status of a run records of its steps. */
export function readStepStatuses(
  statuses: readonly StepStatus[] | undefined,
  steps: readonly GraphStep[],
): StepState[] {
  const loops = new Set(steps.filter(({ forEach }) => forEach).map(({ name }) => name))
  return (statuses ?? []).map((status) => {
    const known = readStates.get(status)
    if (known !== undefined) return known
    const state = readStep(status, loops.has(status.name))
    readStates.set(status, state)
    recordedStatuses.set(state, status)
    return state
  })
}

function readStep(status: StepStatus, isLoop: boolean): StepState {
  const { name, phase = 'Pending', reason, message, inputDigest, outputs } = status
  return {
    name,
    phase: phase as StepState['phase'],
    ...(reason !== undefined && { reason: reason as StepReason }),
    ...(message !== undefined && { message }),
    startedAt: timeOf(isLoop ? status.startedAt : firstStart(status)),
    finishedAt: timeOf(status.finishedAt),
    inputDigest,
    ...(outputs !== undefined && { outputs }),
    units: isLoop
      ? (status.items ?? []).map((item) => readUnit(item))
      : status.attempt === undefined
        ? []
        : [readUnit(status)],
  }
}

function firstStart({ attempts, startedAt }: StepStatus): string | undefined {
  return attempts?.[0]?.startedAt ?? startedAt
}

function readUnit(status: Progress & { readonly seenDeliveries?: unknown }): UnitState {
  const { phase = 'Pending', reason, message, attempt = 0, resourceRef, outputs } = status
  const { seenDeliveries: seen } = status
  return {
    phase: phase as UnitState['phase'],
    attempt,
    startedAt: timeOf(status.startedAt),
    finishedAt: timeOf(status.finishedAt),
    nextRetryAt: timeOf(status.nextRetryAt),
    reason: reason as StepReason | undefined,
    message,
    child: resourceRef?.name === undefined ? undefined : { ...resourceRef, name: resourceRef.name },
    ...(outputs !== undefined && { outputs }),
    ...(Array.isArray(seen) && { seen: seen.map(String) }),
  }
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

interface Recorded {
  readonly steps: readonly GraphStep[]
  readonly before: readonly StepStatus[] | undefined
  readonly now: Date
  /** The kind of the object of a step. */
  refOf(step: GraphStep): { readonly apiVersion: string; readonly kind: string } | undefined
}

export function writeStepStatuses(states: readonly StepState[], recorded: Recorded): StepStatus[] {
  const before = new Map(recorded.before?.map((status) => [status.name, status]))
  const steps = new Map(recorded.steps.map((step) => [step.name, step]))
  return states.flatMap((state) => {
    const step = steps.get(state.name)
    if (step === undefined) return []
    const known = recordedStatuses.get(state)
    return [known ?? writeStep(state, step, before.get(state.name), recorded)]
  })
}

function writeStep(
  state: StepState,
  step: GraphStep,
  before: StepStatus | undefined,
  recorded: Recorded,
): StepStatus {
  const { name, phase, reason, message, inputDigest, outputs, units } = state
  const isLoop = step.forEach !== undefined
  const [unit] = isLoop ? [] : units
  const ref = recorded.refOf(step)
  const attempts = isLoop ? undefined : earlierAttempts(state, before, recorded.now)
  return compact({
    name,
    kind: step.kind,
    phase,
    reason,
    message,
    ...(unit && writeUnit(unit, ref)),
    startedAt: unit ? textOf(unit.startedAt) : textOf(state.startedAt),
    finishedAt: textOf(state.finishedAt),
    lastTransitionTime: before?.phase === phase ? before.lastTransitionTime : rfc3339(recorded.now),
    inputDigest,
    attempts,
    // The outputs of a step that has ended contain those of its items.
    items:
      isLoop && units.length > 0
        ? units.map((one, index) => writeItem(one, index, state, ref))
        : undefined,
    outputs,
  }) as StepStatus
}

function writeItem(
  unit: UnitState,
  index: number,
  state: StepState,
  ref: ReturnType<Recorded['refOf']>,
): ItemStatus {
  const { phase, reason, message } = unit
  const outputs = hasEnded(state) ? undefined : unit.outputs
  return compact({ index, phase, reason, message, ...writeUnit(unit, ref), outputs }) as ItemStatus
}

function writeUnit(unit: UnitState, ref: ReturnType<Recorded['refOf']>): object {
  const { attempt, startedAt, finishedAt, nextRetryAt, child, seen } = unit
  return {
    attempt,
    startedAt: textOf(startedAt),
    finishedAt: textOf(finishedAt),
    // Rounded up: not before the backoff is over.
    nextRetryAt:
      nextRetryAt === undefined ? undefined : textOf(Math.ceil(nextRetryAt / 1000) * 1000),
    resourceRef: child && compact({ ...ref, name: child.name, uid: child.uid }),
    seenDeliveries: seen,
  }
}

const keptAttempts = 5

/** The attempts before the current one, as far as they were recorded. */
function earlierAttempts(
  { units: [unit], reason, message }: StepState,
  before: StepStatus | undefined,
  now: Date,
): StepStatus['attempts'] {
  const known = before?.attempts ?? []
  const last = before?.attempt ?? 0
  const isOver = unit?.phase === 'Retrying' ? unit.attempt >= last : (unit?.attempt ?? 0) > last
  if (
    unit === undefined ||
    last === 0 ||
    !isOver ||
    known.some(({ attempt }) => attempt === last)
  ) {
    return known.length > 0 ? known : undefined
  }
  const why = unit.phase === 'Retrying' ? { reason, message } : {}
  const ended = compact({
    attempt: last,
    ...why,
    startedAt: before?.startedAt,
    finishedAt: rfc3339(now),
    resourceRef: before?.resourceRef,
  })
  return [...known, ended as (typeof known)[number]].slice(-keptAttempts)
}

function textOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : rfc3339(new Date(time))
}

function compact<T extends object>(value: T): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}
