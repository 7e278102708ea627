import {
  hasEnded,
  type Outputs,
  type PlanInput,
  type PlanStep,
  type StepReason,
  type StepState,
  type UnitState,
} from './plan-states.ts'

/** The step as it follows from its units. */
export function stepOfUnits<Step extends PlanStep>(
  step: Step,
  before: StepState,
  units: readonly UnitState[],
  { evaluation, now }: Pick<PlanInput<Step>, 'evaluation' | 'now'>,
): StepState {
  const { name, inputDigest } = before
  const begun = units.map(({ startedAt }) => startedAt).filter((at) => at !== undefined)
  const startedAt = before.startedAt ?? (begun.length > 0 ? Math.min(...begun) : undefined)
  const state = { name, startedAt, inputDigest, units }
  if (!units.every(hasEnded)) return { ...state, ...progressOf(step, units) }
  const finishedAt = before.finishedAt ?? now
  const end = firstOf(units, 'Failed') ?? firstOf(units, 'Cancelled')
  if (end !== undefined) {
    const { phase, reason } = end.unit
    return { ...state, phase, finishedAt, reason, message: describe(step, end) }
  }
  const outputs = outputsOf(step, units)
  if (!evaluation.fits(outputs)) {
    const message = 'the outputs of all items together are larger than a step may keep'
    return { ...state, phase: 'Failed', finishedAt, reason: 'OutputsTooLarge', message }
  }
  return { ...state, phase: 'Succeeded', finishedAt, outputs }
}

interface Item {
  readonly unit: UnitState
  readonly index: number
}

function firstOf(units: readonly UnitState[], phase: UnitState['phase']): Item | undefined {
  const index = units.findIndex((unit) => unit.phase === phase)
  const unit = units[index]
  return unit && { unit, index }
}

function progressOf(
  step: PlanStep,
  units: readonly UnitState[],
): Pick<StepState, 'phase' | 'reason' | 'message'> {
  const notable = firstOf(units, 'Running') ?? firstOf(units, 'Retrying')
  const isLoop = step.forEach !== undefined
  if (notable === undefined)
    return { phase: isLoop && units.some(hasEnded) ? 'Running' : 'Pending' }
  const { phase, reason } = notable.unit
  if (!isLoop) return { phase, reason, message: notable.unit.message }
  const done = units.filter(hasEnded).length
  return { phase, reason, message: `${done} of ${units.length} items have ended` }
}

function describe({ forEach }: PlanStep, { unit, index }: Item): string | undefined {
  return forEach === undefined ? unit.message : `item ${index}: ${unit.message}`
}

/** Of a loop: for each name a list with one value for each item, null where an item has none. */
function outputsOf({ forEach }: PlanStep, units: readonly UnitState[]): Outputs {
  if (forEach === undefined) return units[0]?.outputs ?? {}
  const names = new Set(units.flatMap(({ outputs = {} }) => Object.keys(outputs)))
  return Object.fromEntries(
    [...names].map((name) => [name, units.map(({ outputs }) => outputs?.[name] ?? null)]),
  )
}

/** A step that ends without having begun. */
export function endedStep(
  before: StepState,
  phase: 'Skipped' | 'Failed',
  reason: StepReason,
  message: string,
  now: number,
): StepState {
  const { name, startedAt } = before
  return { name, phase, reason, message, startedAt, finishedAt: now, units: [] }
}
