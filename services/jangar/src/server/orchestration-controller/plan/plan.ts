import { beginStep } from './begin-step.ts'
import { Board } from './board.ts'
import { type Decisions, type StopCause, decisions as standard } from './decisions.ts'
import { outcomeOf, outcomeWord } from './outcome.ts'
import {
  type ChildToCreate,
  childOf,
  hasChild,
  hasEnded,
  isProblem,
  type Plan,
  type PlanInput,
  type PlanOutcome,
  type PlanScope,
  type PlanStep,
  type StepState,
} from './plan-states.ts'
import { inputsOf, startUnits } from './start-units.ts'
import { endedStep, stepOfUnits } from './step-state.ts'
import { observeUnit, stopMessages, stopUnit } from './unit.ts'

/**
 * Decides what an OrchestrationRun does next, from what is recorded and what is observed, and nothing else. Whoever
 * carries it out may end after any part of it: planned again, it finds what was done.
 */
export function plan<Step extends PlanStep>(
  input: PlanInput<Step>,
  decisions: Decisions = standard,
): Plan<Step> {
  const board = new Board(input, decisions)
  const create: ChildToCreate<Step>[] = []
  let cause: StopCause | undefined
  let end: PlanOutcome | undefined
  // A step that ends at once may let others begin, or stop them. Each round ends or begins a step.
  for (;;) {
    const before = board.states
    cause = causeOf(board)
    observe(board, cause, end)
    if (cause === undefined) cause = causeOf(board)
    if (cause !== undefined) stop(board, cause)
    begin(board, board.main, end)
    end = board.statesOf(board.main).every(hasEnded)
      ? outcomeOf(board.statesOf(board.main))
      : undefined
    const main = board.statesOf(board.main)
    if (decisions.isLastDue(main, strays(board, true).length)) begin(board, board.last, end)
    create.push(...startUnits(board, scopeFor(board, end)))
    if (board.states.every((state, index) => state === before[index])) break
  }
  const running = strays(board, true)
  const hasBegunLast = board.last.some(({ name }) => hasBegun(board, name))
  const isOver = end !== undefined && running.length === 0 && board.states.every(hasEnded)
  return {
    steps: board.states.map(withoutPlans),
    create,
    cancel: [...childrenToStop(board, cause), ...strays(board, false)],
    wakeAt: wakeAt(board, cause, end),
    outcome: isOver ? end : undefined,
    reliesOnAbsence: board.missesChild || isOver || hasBegunLast,
  }
}

/** Whether the step begins with this plan. */
function hasBegun<Step extends PlanStep>({ input, stateOf }: Board<Step>, name: string): boolean {
  const isPending = (state: StepState | undefined): boolean => !state || state.phase === 'Pending'
  return !isPending(stateOf(name)) && isPending(input.steps.find((state) => state.name === name))
}

/** A step that waits for a place begins again with the next plan. */
function withoutPlans(state: StepState): StepState {
  const { name, phase, units } = state
  return phase === 'Pending' && units.length > 0 ? { name, phase, units: [] } : state
}

function causeOf<Step extends PlanStep>(board: Board<Step>): StopCause | undefined {
  const { input, decisions } = board
  const main = board.statesOf(board.main)
  if (main.every(hasEnded)) return undefined
  return decisions.stopCause(input.run, input.now, main, input.graph.policies.failFast)
}

/** The cause for which this step is stopped. */
function causeFor<Step extends PlanStep>(
  board: Board<Step>,
  step: Step,
  cause: StopCause | undefined,
): StopCause | undefined {
  if (cause === undefined || step.finally) return undefined
  return board.decisions.outlasts(step, cause, board.stepOf) ? undefined : cause
}

function observe<Step extends PlanStep>(
  board: Board<Step>,
  cause: StopCause | undefined,
  end: PlanOutcome | undefined,
): void {
  const { input, decisions } = board
  for (const step of input.graph.steps) {
    const state = board.stateOf(step.name)
    if (state === undefined || state.units.every(hasEnded)) continue
    const units = state.units.map((unit, index) => {
      if (hasEnded(unit)) return unit
      const item = step.forEach === undefined ? undefined : index
      return observeUnit(unit, {
        input,
        decisions,
        step,
        item,
        cause: causeFor(board, step, cause),
        isCreating: (name) => board.creating.has(name),
        onMissing: () => {
          board.missesChild = true
        },
        inputs: () => {
          const inputs = inputsOf(board, step, scopeFor(board, end)(step), item)
          return isProblem(inputs) ? {} : inputs
        },
      })
    })
    if (units.some((unit, index) => unit !== state.units[index])) {
      board.set(stepOfUnits(step, state, units, input))
    }
  }
}

function stop<Step extends PlanStep>(board: Board<Step>, cause: StopCause): void {
  const { input } = board
  for (const step of board.main) {
    const state = board.stateOf(step.name)
    if (state === undefined || hasEnded(state) || causeFor(board, step, cause) === undefined)
      continue
    if (state.units.length === 0 || state.phase === 'Pending') {
      board.set(endedStep(state, 'Skipped', cause, stopMessages[cause], input.now))
      continue
    }
    const units = state.units.map((unit) => stopUnit(unit, cause, input.now))
    if (units.some((unit, index) => unit !== state.units[index])) {
      board.set(stepOfUnits(step, state, units, input))
    }
  }
}

/** Begins the steps whose dependencies have ended, or skips them. */
function begin<Step extends PlanStep>(
  board: Board<Step>,
  steps: readonly Step[],
  end: PlanOutcome | undefined,
): void {
  const { decisions, input } = board
  for (const step of steps) {
    const state = board.stateOf(step.name)
    if (state?.phase !== 'Pending' || state.units.length > 0) continue
    const readiness = decisions.readiness(step, board.stateOf)
    if (readiness.kind === 'skipped') {
      board.set(endedStep(state, 'Skipped', readiness.reason, readiness.message, input.now))
    }
    if (readiness.kind === 'ready') {
      board.set(beginStep(board, step, state, scopeFor(board, end)(step)))
    }
  }
}

function scopeFor<Step extends PlanStep>(
  board: Board<Step>,
  end: PlanOutcome | undefined,
): (step: Step) => PlanScope {
  return (step) => board.scope(step.finally && end ? outcomeWord(end) : undefined)
}

/** Children that run although no step expects them any more. */
function strays<Step extends PlanStep>(board: Board<Step>, isAll: boolean): string[] {
  const known = new Set(board.creating)
  for (const { units } of board.states) {
    for (const { phase, child } of units) if (phase === 'Running' && child) known.add(child.name)
  }
  return [...board.input.children]
    .filter(([name, { step, end, isCancelling }]) => {
      if (end !== undefined || (isCancelling && !isAll)) return false
      return board.decisions.isStray(board.stateOf(step), known.has(name))
    })
    .map(([name]) => name)
}

/** Children of steps that are being stopped, or have run out of time, and have not been told. */
function childrenToStop<Step extends PlanStep>(
  board: Board<Step>,
  cause: StopCause | undefined,
): string[] {
  const { input, decisions } = board
  return input.graph.steps.filter(hasChild).flatMap((step) => {
    const isStopped = causeFor(board, step, cause) !== undefined
    const units = board.stateOf(step.name)?.units ?? []
    return units
      .filter((unit) => unit.phase === 'Running')
      .filter((unit) => isStopped || input.now >= decisions.deadlineOf(step, unit))
      .map(({ child }) => child?.name ?? '')
      .filter((name) => {
        const child = childOf(input, step, name)
        return child !== undefined && child.end === undefined && !child.isCancelling
      })
  })
}

function wakeAt<Step extends PlanStep>(
  board: Board<Step>,
  cause: StopCause | undefined,
  end: PlanOutcome | undefined,
): number | undefined {
  const { input, decisions } = board
  const times = input.graph.steps.flatMap((step) =>
    (board.stateOf(step.name)?.units ?? []).map((unit) => {
      if (unit.phase === 'Retrying') return unit.nextRetryAt ?? input.now
      return unit.phase === 'Running' ? decisions.deadlineOf(step, unit) : Number.POSITIVE_INFINITY
    }),
  )
  // A failure does not stop every step.
  const isStopped = cause !== undefined && cause !== 'RunFailed'
  if (!isStopped && end === undefined) times.push(input.run.deadline ?? Number.POSITIVE_INFINITY)
  return decisions.nextOf(times, input.now)
}
