import { hasChild, hasEnded } from '../plan-states.ts'
import { outlastsFailure } from './reference.ts'
import type { SimulatedRun } from './simulated-run.ts'

/** The laws that a run broke, in words. */
export function brokenLaws(run: SimulatedRun, hasReachedEnd: boolean): string[] {
  return [
    ...(hasReachedEnd ? [] : ['always an end']),
    ...(hasReachedEnd ? lawsAtTheEnd(run) : []),
    ...attempts(run),
    ...doubles(run),
    ...places(run),
    ...afterCancel(run),
    ...lastSteps(run),
  ]
}

function lawsAtTheEnd(run: SimulatedRun): string[] {
  const { steps } = run.scenario
  const broken: string[] = []
  if (run.running.length > 0) broken.push('no child runs after the end')
  if (!steps.every(({ name }) => hasEnded(run.stateOf(name) ?? { phase: 'Pending' }))) {
    broken.push('no step is forgotten')
  }
  for (const step of steps) {
    const state = run.stateOf(step.name)
    const dependencies = step.dependsOn.map((name) => run.stateOf(name))
    const haveSucceeded = dependencies.every((one) => one?.phase === 'Succeeded')
    const hasRun = state?.phase !== 'Skipped'
    if (hasRun && step.runAfter === 'Succeeded' && !haveSucceeded) {
      broken.push('no step runs after a failed dependency')
    }
    const isStopped = run.outcome?.kind === 'cancelled' || run.outcome?.reason === 'TimedOut'
    const mustRun = step.finally || (!isStopped && outlastsFailure(step, steps))
    const wasFree = step.when === undefined && (haveSucceeded || step.runAfter === 'Finished')
    if (!hasRun && mustRun && wasFree) {
      broken.push(step.finally ? 'finally always runs' : 'runAfter Finished always runs')
    }
    if (state?.reason === 'Reused' && run.creations.some(({ step: of }) => of === step.name)) {
      broken.push('nothing that was taken over runs')
    }
  }
  if (run.outcome?.kind === 'succeeded' && steps.some((step) => hasFailed(run, step))) {
    broken.push('no failure is a success')
  }
  return broken
}

function hasFailed(run: SimulatedRun, step: { name: string; finally: boolean }): boolean {
  return !step.finally && run.stateOf(step.name)?.phase === 'Failed'
}

function unitOf({ step, item }: { step: string; item: number | undefined }): string {
  return `${step}/${item ?? ''}`
}

/** Each piece of work is tried as often as it may be, and not more often. */
function attempts(run: SimulatedRun): string[] {
  const counts = new Map<string, number>()
  for (const one of run.creations) counts.set(unitOf(one), (counts.get(unitOf(one)) ?? 0) + 1)
  return run.scenario.steps.flatMap((step) => {
    const units = run.stateOf(step.name)?.units ?? []
    const tooMany = [...counts].some(
      ([unit, count]) => unit.startsWith(`${step.name}/`) && count > step.retries + 1,
    )
    const tooFew = units.some(({ reason }, index) => {
      const unit = unitOf({ step: step.name, item: step.forEach ? index : undefined })
      return (
        reason === 'RetriesExhausted' && hasChild(step) && counts.get(unit) !== step.retries + 1
      )
    })
    return [...(tooMany ? ['at most the attempts'] : []), ...(tooFew ? ['all attempts'] : [])]
  })
}

function doubles({ creations }: SimulatedRun): string[] {
  const keys = creations.map((one) => `${unitOf(one)}/${one.attempt}`)
  return new Set(keys).size < keys.length ? ['no child twice'] : []
}

function places({ scenario, mostRunning }: SimulatedRun): string[] {
  const { parallelism, restartsStale } = scenario
  const isExceeded = parallelism > 0 && mostRunning > parallelism && !restartsStale
  return isExceeded ? ['no more at once than allowed'] : []
}

function afterCancel({ creations, scenario, outcome }: SimulatedRun): string[] {
  const last = new Set(scenario.steps.filter((step) => step.finally).map(({ name }) => name))
  const isLate = creations.some(({ isAfterCancel, step }) => isAfterCancel && !last.has(step))
  return isLate && outcome?.kind === 'cancelled' ? ['nothing starts after a cancel'] : []
}

function lastSteps({ creations, scenario }: SimulatedRun): string[] {
  const last = new Set(scenario.steps.filter((step) => step.finally).map(({ name }) => name))
  const main = new Set(scenario.steps.filter((step) => !step.finally).map(({ name }) => name))
  const isEarly = creations.some(
    ({ step, others }) =>
      last.has(step) && others.some((name) => main.has(name.slice(0, name.indexOf('-')))),
  )
  return isEarly ? ['finally comes last'] : []
}
