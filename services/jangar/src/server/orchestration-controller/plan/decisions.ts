import {
  hasEnded,
  type PlanInput,
  type PlanStep,
  type Reuse,
  type StepState,
  type UnitState,
} from './plan-states.ts'

/** Why steps are stopped before they end by themselves. */
export type StopCause = 'RunCancelled' | 'RunTimedOut' | 'RunFailed'

export type Readiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'skipped'
      readonly reason: 'DependencyFailed' | 'DependencySkipped'
      readonly message: string
    }

type StateOf = (name: string) => StepState | undefined

/** The steps of the graph, and what is known of them. */
interface Steps {
  readonly stateOf: StateOf
  readonly stepOf: (name: string) => PlanStep | undefined
}

/** Each decision of the plan on its own, so that a test can show what goes wrong without it. */
export interface Decisions {
  /** Whether an attempt that failed is followed by another one. */
  mayRetry(step: PlanStep, unit: UnitState): boolean
  /** When the attempt has taken too long. */
  deadlineOf(step: PlanStep, unit: UnitState): number
  readiness(step: PlanStep, stateOf: StateOf): Readiness
  stopCause(
    run: PlanInput['run'],
    now: number,
    main: readonly StepState[],
    failFast: boolean,
  ): StopCause | undefined
  /** Whether the step goes on although the run stops for this cause. */
  outlasts(
    step: PlanStep,
    cause: StopCause,
    stepOf: (name: string) => PlanStep | undefined,
  ): boolean
  /** Whether the results of an earlier run are taken over, if the digest of the inputs is the same. */
  mayReuse(step: PlanStep, reuse: Reuse, steps: Steps): boolean
  /** How many more children may be created. */
  places(parallelism: number, running: number): number
  /** Whether a child runs for a step that has ended. */
  isStray(state: StepState | undefined, isKnown: boolean): boolean
  /** Whether the steps that come at the very end may begin. */
  isLastDue(main: readonly StepState[], strays: number): boolean
  /** The next of these times. */
  nextOf(times: readonly number[], now: number): number | undefined
}

export const decisions: Decisions = {
  mayRetry: (step, unit) => unit.attempt <= step.retries,
  deadlineOf: ({ timeoutSeconds }, { startedAt }) =>
    timeoutSeconds > 0 && startedAt !== undefined
      ? startedAt + timeoutSeconds * 1000
      : Number.POSITIVE_INFINITY,
  readiness,
  stopCause,
  outlasts,
  // An approval is about the parameters of the run that asked for it, which the inputs of the step do not contain.
  mayReuse: (step, reuse, steps) =>
    !isGate(step) &&
    !step.finally &&
    !reuse.again.has(step.name) &&
    isAfterUnchanged(step, reuse, steps),
  places: (parallelism, running) =>
    parallelism > 0 ? Math.max(0, parallelism - running) : Number.POSITIVE_INFINITY,
  isStray: (state, isKnown) => !isKnown && (state === undefined || hasEnded(state)),
  isLastDue: (main, strays) => strays === 0 && main.every(hasEnded),
  nextOf: (times, now) => {
    const next = times.reduce((a, b) => (b > now ? Math.min(a, b) : a), Number.POSITIVE_INFINITY)
    return Number.isFinite(next) ? next : undefined
  },
}

function isGate({ kind }: PlanStep): boolean {
  return kind === 'ApprovalGate'
}

/**
 * Whether all that the step depends on was taken over. A gate, which never is, counts if it was approved again and has
 * not changed: otherwise what it let through in the earlier run would run a second time.
 */
function isAfterUnchanged(
  { dependsOn }: PlanStep,
  { steps, again }: Reuse,
  { stateOf, stepOf }: Steps,
): boolean {
  const visited = new Set<string>()
  const open = [...dependsOn]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const state = stateOf(name)
    if (visited.has(name) || state?.reason === 'Reused') continue
    visited.add(name)
    const step = stepOf(name)
    if (step === undefined || !isGate(step) || again.has(name)) return false
    if (state?.phase !== 'Succeeded' || steps.get(name)?.inputDigest !== state.inputDigest)
      return false
    open.push(...step.dependsOn)
  }
  return true
}

function readiness({ dependsOn, runAfter }: PlanStep, stateOf: StateOf): Readiness {
  const states = dependsOn.map(stateOf).filter((state) => state !== undefined)
  if (runAfter === 'Succeeded') {
    const broken = states.find((state) => hasEnded(state) && state.phase !== 'Succeeded')
    if (broken !== undefined) return skippedAfter(broken)
  }
  return { kind: states.every(hasEnded) ? 'ready' : 'waiting' }
}

function skippedAfter({ name, phase }: StepState): Readiness {
  if (phase === 'Skipped') {
    return { kind: 'skipped', reason: 'DependencySkipped', message: `step ${name} was skipped` }
  }
  const what = phase === 'Cancelled' ? 'was cancelled' : 'failed'
  return { kind: 'skipped', reason: 'DependencyFailed', message: `step ${name} ${what}` }
}

function stopCause(
  { isCancelled, deadline }: PlanInput['run'],
  now: number,
  main: readonly StepState[],
  failFast: boolean,
): StopCause | undefined {
  if (isCancelled) return 'RunCancelled'
  if (deadline !== undefined && now >= deadline) return 'RunTimedOut'
  if (failFast && main.some(hasFailed)) return 'RunFailed'
  return undefined
}

/** Whether the step, or an item of it, failed for good. */
function hasFailed({ phase, units }: StepState): boolean {
  return phase === 'Failed' || units.some((unit) => unit.phase === 'Failed')
}

/**
 * A step that runs after steps that ended in any way is there for the case that one failed, and so is what follows it.
 */
function outlasts(
  step: PlanStep,
  cause: StopCause,
  stepOf: (name: string) => PlanStep | undefined,
): boolean {
  if (cause !== 'RunFailed') return false
  const visited = new Set<string>()
  const open = [step]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.runAfter === 'Finished') return true
    for (const name of next.dependsOn) {
      const other = visited.has(name) ? undefined : stepOf(name)
      visited.add(name)
      if (other !== undefined) open.push(other)
    }
  }
  return false
}
