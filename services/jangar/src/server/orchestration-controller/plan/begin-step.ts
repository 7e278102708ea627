import type { Board } from './board.ts'
import {
  isProblem,
  type Outputs,
  type PlanScope,
  type PlanStep,
  type StepState,
} from './plan-states.ts'
import { endedStep, stepOfUnits } from './step-state.ts'
import { newUnit, succeeded } from './unit.ts'

/**
 * Begins a step whose dependencies allow it: one unit, or one for each item. A step that needs no work ends at once.
 */
export function beginStep<Step extends PlanStep>(
  board: Board<Step>,
  step: Step,
  before: StepState,
  scope: PlanScope,
): StepState {
  const { input } = board
  const { evaluation, now } = input
  if (step.when !== undefined) {
    const isWanted = evaluation.when(step, scope)
    if (isProblem(isWanted))
      return endedStep(before, 'Failed', isWanted.reason, isWanted.problem, now)
    if (!isWanted)
      return endedStep(before, 'Skipped', 'ConditionFalse', 'its condition is false', now)
  }
  const items = step.forEach === undefined ? [undefined] : evaluation.items(step, scope)
  if (isProblem(items)) return endedStep(before, 'Failed', items.reason, items.problem, now)
  const inputs: Outputs[] = []
  for (const item of items) {
    const rendered = evaluation.inputs(step, scope, item)
    if (isProblem(rendered))
      return endedStep(before, 'Failed', rendered.reason, rendered.problem, now)
    inputs.push(rendered)
  }
  const inputDigest = evaluation.digest([step.kind, inputs])
  const reused = reusedStep(board, step, { ...before, inputDigest })
  if (reused !== undefined) return reused
  const units = inputs.map((rendered) =>
    step.kind === 'Checkpoint'
      ? succeeded({ ...newUnit, startedAt: now, attempt: 1 }, rendered, now)
      : newUnit,
  )
  return stepOfUnits(step, { ...before, inputDigest }, units, input)
}

function reusedStep<Step extends PlanStep>(
  board: Board<Step>,
  step: Step,
  before: StepState,
): StepState | undefined {
  const { reuse, now } = board.input
  const earlier = reuse?.steps.get(step.name)
  if (reuse === undefined || earlier === undefined) return undefined
  if (earlier.inputDigest !== before.inputDigest) return undefined
  if (!board.decisions.mayReuse(step, reuse, board)) return undefined
  const { name, inputDigest } = before
  const { outputs } = earlier
  return {
    name,
    inputDigest,
    phase: 'Succeeded',
    reason: 'Reused',
    outputs,
    finishedAt: now,
    units: [],
  }
}
