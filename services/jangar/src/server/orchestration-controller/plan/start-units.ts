import type { Board } from './board.ts'
import {
  type ChildToCreate,
  hasChild,
  isProblem,
  type Outputs,
  type PlanScope,
  type PlanStep,
  type UnitState,
} from './plan-states.ts'
import { stepOfUnits } from './step-state.ts'
import { failed, withUnrecorded } from './unit.ts'

/** Starts the next attempt of every unit that is due, as long as there are places. Returns the children to create. */
export function startUnits<Step extends PlanStep>(
  board: Board<Step>,
  scopeOf: (step: Step) => PlanScope,
): ChildToCreate<Step>[] {
  const { input, decisions } = board
  // Also children that no step knows of yet, or any more.
  const running = [...input.children.values()].filter(({ end }) => end === undefined)
  let places = decisions.places(
    input.graph.policies.parallelism,
    running.length + board.creating.size,
  )
  const create: ChildToCreate<Step>[] = []
  for (const step of input.graph.steps) {
    const state = board.stateOf(step.name)
    if (state === undefined || !state.units.some((unit) => isDue(unit, input.now))) continue
    const ofStep = state.units.filter(({ phase }) => phase === 'Running').length
    let room = decisions.places(step.forEach?.maxParallel ?? 0, ofStep)
    const units = state.units.map((unit, index) => {
      if (!isDue(unit, input.now) || room <= 0) return unit
      const item = step.forEach === undefined ? undefined : index
      const existing = hasChild(step) ? withUnrecorded(unit, { input, step, item }) : unit
      if (existing === unit && hasChild(step) && places <= 0) return unit
      room -= 1
      if (existing !== unit) return existing
      const inputs = inputsOf(board, step, scopeOf(step), item)
      if (isProblem(inputs)) return failed(unit, inputs.reason, inputs.problem, input.now)
      if (!hasChild(step)) return beginWait(board, step, unit, inputs)
      places -= 1
      const attempt = unit.attempt + 1
      const name = input.childName(step.name, item, attempt)
      create.push({ name, step, item, attempt, inputs })
      board.creating.add(name)
      const waits = step.kind === 'ApprovalGate' ? waitsForApproval(name) : {}
      return { phase: 'Running', attempt, startedAt: input.now, child: { name }, ...waits } as const
    })
    if (units.some((unit, index) => unit !== state.units[index])) {
      board.set(stepOfUnits(step, state, units, input))
    }
  }
  return create
}

function isDue({ phase, nextRetryAt = 0 }: UnitState, now: number): boolean {
  return phase === 'Pending' || (phase === 'Retrying' && now >= nextRetryAt)
}

function waitsForApproval(name: string) {
  return { reason: 'WaitingForApproval', message: `waiting for ApprovalRequest ${name}` } as const
}

function beginWait<Step extends PlanStep>(
  { input }: Board<Step>,
  step: Step,
  unit: UnitState,
  inputs: Outputs,
): UnitState {
  const seen = input.waits.seen(step, inputs)
  return {
    phase: 'Running',
    attempt: unit.attempt + 1,
    startedAt: input.now,
    reason: 'WaitingForSignal',
    message: 'waiting for a signal',
    ...(seen.length > 0 && { seen }),
  }
}

/** The rendered fields of a step that has begun. They do not change: what it refers to has ended. */
export function inputsOf<Step extends PlanStep>(
  { input }: Pick<Board<Step>, 'input'>,
  step: Step,
  scope: PlanScope,
  item: number | undefined,
) {
  const { evaluation } = input
  if (item === undefined) return evaluation.inputs(step, scope, undefined)
  const items = evaluation.items(step, scope)
  return isProblem(items) ? items : evaluation.inputs(step, scope, items[item])
}
