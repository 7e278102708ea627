import fc from 'fast-check'
import { type Decisions, decisions } from '../decisions.ts'
import { brokenLaws } from './laws.ts'
import { expectedPhases } from './reference.ts'
import { scenarios } from './scenarios.ts'
import { type Scenario, SimulatedRun } from './simulated-run.ts'
import { planned, type testChildName } from './test-run.ts'

export interface Mutant {
  readonly decisions?: Partial<Decisions>
  readonly childName?: typeof testChildName
}

/** Events before everything calms down: often before the end, so that the last ones interrupt something. */
function eventsOf({ seed }: Scenario): number {
  return seed % 60
}

/** The laws that the plan breaks in this scenario. */
function lawsBrokenIn(scenario: Scenario, mutant: Mutant = {}): string[] {
  const made: Decisions = { ...decisions, ...mutant.decisions }
  const naming = mutant.childName === undefined ? {} : { childName: mutant.childName }
  const run = new SimulatedRun(scenario, made, naming)
  const hasReachedEnd = run.run(eventsOf(scenario))
  const broken = brokenLaws(run, hasReachedEnd)
  if (!hasReachedEnd) return broken
  return [...broken, ...unexpected(run), ...brokenByResume(run, made, naming)]
}

/** Held against the reference where nothing but the graph decides. */
function unexpected(run: SimulatedRun): string[] {
  const { scenario } = run
  const isCalm = !scenario.isCancelled && scenario.timeoutSeconds === 0 && run.deletions === 0
  const mayTimeOut = scenario.steps.some(({ timeoutSeconds }) => timeoutSeconds > 0)
  if (!isCalm || mayTimeOut || scenario.failFast) return []
  const isAsExpected = [...expectedPhases(scenario)].every(
    ([name, phase]) => run.stateOf(name)?.phase === phase,
  )
  return isAsExpected ? [] : ['each step ends as it must']
}

/** The run is resumed with one prompt changed: that step and what follows it run again, and nothing else. */
function brokenByResume(
  earlier: SimulatedRun,
  made: Decisions,
  naming: Pick<Mutant, 'childName'>,
): string[] {
  const { scenario } = earlier
  const changed = scenario.steps[scenario.seed % scenario.steps.length]?.name ?? ''
  const steps = scenario.steps.map((step) =>
    step.name === changed ? { ...step, prompt: 'changed' } : step,
  )
  const run = new SimulatedRun({ ...scenario, steps, isCancelled: false }, made, {
    ...naming,
    reuse: planned(earlier.steps),
  })
  const hasReachedEnd = run.run(eventsOf(scenario))
  const broken = brokenLaws(run, hasReachedEnd)
  const follows = (name: string): boolean => {
    const step = steps.find((candidate) => candidate.name === name)
    const hasChanged = name === changed && hasUnits(earlier, name)
    return hasChanged || (step?.dependsOn.some(follows) ?? false)
  }
  for (const step of steps) {
    const isReused = run.stateOf(step.name)?.reason === 'Reused'
    const isGate = step.kind === 'ApprovalGate'
    if (isReused && isGate) broken.push('each run asks for its own approvals')
    if (isReused && (follows(step.name) || step.finally)) broken.push('what changed runs again')
    const before = earlier.stateOf(step.name)
    const upstream = step.dependsOn.every((name) => run.stateOf(name)?.reason === 'Reused')
    const isSame = !follows(step.name) && !step.finally && !isGate && before?.phase === 'Succeeded'
    const hasRun = run.creations.some((one) => one.step === step.name)
    if (isSame && upstream && hasRun) broken.push('what did not change is taken over')
  }
  return broken
}

/** A loop over nothing has nothing that could change. */
function hasUnits(run: SimulatedRun, name: string): boolean {
  return (run.stateOf(name)?.units.length ?? 0) > 0
}

/** Throws with the smallest scenario that breaks a law. */
export function assertLaws(graphs: number, { seed }: { seed?: number } = {}): void {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const broken = lawsBrokenIn(scenario)
      if (broken.length > 0) throw new Error(`broken: ${[...new Set(broken)].join(', ')}`)
    }),
    { numRuns: graphs, ...(seed !== undefined && { seed }) },
  )
}

/** The laws that a mutant breaks in any of the scenarios. */
export function lawsBrokenBy(mutant: Mutant, graphs: number): ReadonlySet<string> {
  const broken = new Set<string>()
  for (const scenario of fc.sample(scenarios, { numRuns: graphs, seed: 1 })) {
    for (const law of lawsBrokenIn(scenario, mutant)) broken.add(law)
  }
  return broken
}
