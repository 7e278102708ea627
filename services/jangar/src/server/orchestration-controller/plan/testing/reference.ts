import { hasChild, type StepPhase } from '../plan-states.ts'
import { fateOf, hashOf, type Scenario } from './simulated-run.ts'
import { type TestStep, testChildName } from './test-run.ts'

interface Expected {
  readonly phase: StepPhase
  readonly count: number
}

/**
 * The phases that the steps end with if nobody interferes, found out step by step and without time: what a plan must
 * come to, whatever it goes through.
 */
export function expectedPhases(scenario: Scenario): ReadonlyMap<string, StepPhase> {
  const ends = new Map<string, Expected>()
  const endOf = (step: TestStep): Expected => {
    const known = ends.get(step.name)
    if (known !== undefined) return known
    const dependencies = step.dependsOn.map((name) => {
      const other = scenario.steps.find((candidate) => candidate.name === name)
      return other ? endOf(other).phase : 'Skipped'
    })
    const end = expectedEnd(scenario, step, dependencies, ends)
    ends.set(step.name, end)
    return end
  }
  return new Map(scenario.steps.map((step) => [step.name, endOf(step).phase]))
}

function expectedEnd(
  scenario: Scenario,
  step: TestStep,
  dependencies: readonly StepPhase[],
  ends: ReadonlyMap<string, Expected>,
): Expected {
  const none = (phase: StepPhase): Expected => ({ phase, count: 0 })
  if (step.runAfter === 'Succeeded' && dependencies.some((phase) => phase !== 'Succeeded')) {
    return none('Skipped')
  }
  const { when, items } = step
  if (when === false) return none('Skipped')
  if (typeof when === 'object' && ends.get(when.step)?.phase !== when.is) return none('Skipped')
  const count = items === undefined ? 1 : 'from' in items ? countOf(ends, items.from) : items.length
  if (count > 0 && step.problem !== undefined) return none('Failed')
  if (!hasChild(step)) return none('Succeeded')
  const units = Array.from({ length: count }, (_, index) =>
    lastAttempt(scenario, step, step.forEach === undefined ? undefined : index),
  )
  if (units.some((unit) => unit === undefined)) return none('Failed')
  const isPlain = step.forEach === undefined
  return { phase: 'Succeeded', count: isPlain ? hashOf(`${units[0]}/n`) % 4 : 0 }
}

function countOf(ends: ReadonlyMap<string, Expected>, name: string): number {
  const end = ends.get(name)
  return end?.phase === 'Succeeded' ? end.count : 0
}

/** The child that succeeds; undefined if none does. */
function lastAttempt(scenario: Scenario, step: TestStep, item: number | undefined) {
  for (let attempt = 1; attempt <= step.retries + 1; attempt += 1) {
    const name = testChildName(step.name, item, attempt)
    if (fateOf(scenario, name, step.name) === 'succeeds') return name
  }
  return undefined
}

/** Whether the step, or one that it comes after, runs whatever became of others. */
export function outlastsFailure(step: TestStep, steps: readonly TestStep[]): boolean {
  if (step.runAfter === 'Finished') return true
  return steps.some((other) => step.dependsOn.includes(other.name) && outlastsFailure(other, steps))
}
