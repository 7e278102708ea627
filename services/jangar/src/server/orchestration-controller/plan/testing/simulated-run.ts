import type { Decisions } from '../decisions.ts'
import { plan } from '../plan.ts'
import {
  hasEnded,
  type ObservedChild,
  type Outputs,
  type Plan,
  type PlanInput,
  type PlanOutcome,
  type Reuse,
  type StepState,
} from '../plan-states.ts'
import { type TestStep, testChildName, testEvaluation } from './test-run.ts'

export interface Scenario {
  readonly steps: readonly TestStep[]
  readonly failFast: boolean
  readonly parallelism: number
  /** Seconds. 0: none. */
  readonly timeoutSeconds: number
  /** Whether somebody cancels the run, sooner or later. */
  readonly isCancelled: boolean
  /** Whether somebody deletes children. */
  readonly deletesChildren: boolean
  /** Whether the cache of a restarted process may be behind. */
  readonly restartsStale: boolean
  readonly seed: number
}

type Fate = 'succeeds' | 'fails' | 'hangs'

export interface Creation {
  readonly name: string
  readonly step: string
  readonly item: number | undefined
  readonly attempt: number
  readonly inputs: Outputs
  /** Whether the controller knew then that the run was cancelled. */
  readonly isAfterCancel: boolean
  /** Children of other steps that were running. */
  readonly others: readonly string[]
}

/** Runs a graph in a world where processes crash, caches are behind and people interfere. */
export class SimulatedRun {
  readonly scenario: Scenario
  readonly creations: Creation[] = []
  outcome: PlanOutcome | undefined
  steps: readonly StepState[] = []
  /** The most children that ran at the same time. */
  mostRunning = 0
  isCancelled = false
  deletions = 0
  readonly #decisions: Decisions
  readonly #reuse: Reuse | undefined
  readonly #random: () => number
  readonly #children = new Map<string, ObservedChild>()
  #cache = new Map<string, ObservedChild>()
  /** What this process wrote, until its cache has it. */
  #own = new Map<string, ObservedChild>()
  readonly #deliveries: number[] = []
  readonly #start = Date.parse('2026-01-01T00:00:00Z')
  #now = this.#start
  #wakeAt: number | undefined
  readonly #childName: typeof testChildName

  constructor(
    scenario: Scenario,
    decisions: Decisions,
    { reuse, childName = testChildName }: { reuse?: Reuse; childName?: typeof testChildName } = {},
  ) {
    this.scenario = scenario
    this.#decisions = decisions
    this.#reuse = reuse
    this.#random = randomOf(scenario.seed)
    this.#childName = childName
  }

  /** Random events first; then everything happens that can happen, until the run ends. False: it never does. */
  run(events: number): boolean {
    for (let at = 0; at < events && this.outcome === undefined; at += 1) this.#event()
    if (this.scenario.isCancelled) this.isCancelled = true
    for (let at = 0; at < 2000; at += 1) {
      const before = this.#state()
      this.#cache = new Map(this.#children)
      this.#own = new Map()
      this.#pass(Number.POSITIVE_INFINITY)
      if (this.outcome !== undefined) return true
      for (const [name, child] of this.#children) this.#advance(name, child)
      if (before !== this.#state()) continue
      if (this.#isWaiting()) {
        this.#now += 1
        this.#deliveries.push(this.#now)
      } else if (this.#wakeAt !== undefined) this.#now = Math.max(this.#now + 1, this.#wakeAt)
      else return false
    }
    return false
  }

  get running(): readonly string[] {
    return [...this.#children].filter(([, { end }]) => end === undefined).map(([name]) => name)
  }

  stateOf(name: string): StepState | undefined {
    return this.steps.find((state) => state.name === name)
  }

  #state(): string {
    return JSON.stringify([this.steps, [...this.#children], this.#deliveries.length])
  }

  #event(): void {
    const kind = this.#random()
    const names = [...this.#children.keys()]
    const name = names[Math.floor(this.#random() * names.length)] ?? ''
    const child = this.#children.get(name)
    if (kind < 0.25) this.#pass(Number.POSITIVE_INFINITY)
    else if (kind < 0.5) this.#pass(Math.floor(this.#random() * 4))
    else if (kind < 0.75 && child) this.#advance(name, child)
    else if (kind < 0.85) this.#deliver()
    else if (kind < 0.93) this.#now += Math.floor(this.#random() * 20_000)
    else if (kind < 0.95) this.#deliveries.push(this.#now)
    else if (kind < 0.97 && this.scenario.isCancelled) this.isCancelled = true
    else if (this.scenario.deletesChildren && this.#isRecorded(name)) {
      this.#children.delete(name)
      this.deletions += 1
    }
  }

  #isRecorded(name: string): boolean {
    return this.steps.some(({ units }) => units.some(({ child }) => child?.name === name))
  }

  /** Some of what happened reaches the cache. */
  #deliver(): void {
    for (const name of new Set([...this.#children.keys(), ...this.#cache.keys()])) {
      if (this.#random() < 0.5) continue
      const child = this.#children.get(name)
      if (child) this.#cache.set(name, child)
      else this.#cache.delete(name)
      this.#own.delete(name)
    }
  }

  /** Plans, and carries it out up to the given number of acts; then the process crashes. */
  #pass(acts: number): void {
    if (this.outcome !== undefined) return
    let made = this.#plan(new Map([...this.#cache, ...this.#own]))
    if (made.reliesOnAbsence) made = this.#plan(this.#children)
    const list = [
      ...made.create.map((child) => () => this.#create(child)),
      ...made.cancel.map((name) => () => this.#cancel(name)),
    ]
    for (const act of list.slice(0, acts)) act()
    if (acts > list.length) {
      this.#record(made)
      return
    }
    this.#own = new Map()
    if (!this.scenario.restartsStale) this.#cache = new Map(this.#children)
  }

  #record({ steps, outcome, wakeAt }: Plan<TestStep>): void {
    // As the status is stored.
    this.steps = JSON.parse(JSON.stringify(steps))
    this.outcome = outcome
    this.#wakeAt = wakeAt
  }

  #plan(children: ReadonlyMap<string, ObservedChild>): Plan<TestStep> {
    const { steps, failFast, parallelism, timeoutSeconds } = this.scenario
    const input: PlanInput<TestStep> = {
      graph: { steps, policies: { failFast, parallelism } },
      steps: this.steps,
      children,
      waits: {
        seen: () => [],
        arrived: ({ kind }, { startedAt = 0 }) =>
          kind === 'SignalWait' && this.#deliveries.some((at) => at > startedAt) ? {} : undefined,
      },
      evaluation: testEvaluation,
      childName: this.#childName,
      run: {
        isCancelled: this.isCancelled,
        deadline: timeoutSeconds > 0 ? this.#start + timeoutSeconds * 1000 : undefined,
      },
      reuse: this.#reuse,
      now: this.#now,
    }
    return plan(input, this.#decisions)
  }

  #create({ name, step, item, attempt, inputs }: Plan<TestStep>['create'][number]): void {
    const existing = this.#children.get(name)
    if (existing === undefined) {
      const isAfterCancel = this.isCancelled
      const others = this.running.filter((other) => this.#children.get(other)?.step !== step.name)
      this.creations.push({ name, step: step.name, item, attempt, inputs, isAfterCancel, others })
      const stepKinds = [step.kind]
      const child = { step: step.name, stepKinds, createdAt: this.#now, isCancelling: false }
      this.#children.set(name, child)
    }
    this.#own.set(name, this.#children.get(name) as ObservedChild)
    this.mostRunning = Math.max(this.mostRunning, this.running.length)
  }

  #cancel(name: string): void {
    const child = this.#children.get(name)
    if (child === undefined || child.end !== undefined) return
    this.#children.set(name, { ...child, isCancelling: true })
    this.#own.set(name, { ...child, isCancelling: true })
  }

  #advance(name: string, child: ObservedChild): void {
    if (child.end !== undefined) return
    const fate = fateOf(this.scenario, name, child.step)
    // A child can finish before the cancellation reaches it.
    if (child.isCancelling && (fate === 'hangs' || this.#random() < 0.8)) {
      this.#children.set(name, { ...child, end: { kind: 'cancelled', message: 'cancelled' } })
    } else if (fate === 'succeeds') {
      const outputs = { n: hashOf(`${name}/n`) % 4 }
      this.#children.set(name, { ...child, end: { kind: 'succeeded', outputs } })
    } else if (fate === 'fails') {
      this.#children.set(name, { ...child, end: { kind: 'failed', message: 'failed' } })
    }
  }

  #isWaiting(): boolean {
    return this.scenario.steps.some(({ name, kind }) => {
      const state = this.stateOf(name)
      return kind === 'SignalWait' && state?.phase === 'Running' && !hasEnded(state)
    })
  }
}

/** What becomes of the child of an attempt. Only what is limited in time hangs. */
export function fateOf({ seed, steps, timeoutSeconds }: Scenario, name: string, of: string): Fate {
  const limits = steps.find((step) => step.name === of)
  const hash = hashOf(`${seed}/${name}`) % 10
  const isLimited = (limits?.timeoutSeconds ?? 0) > 0 || (timeoutSeconds > 0 && !limits?.finally)
  if (hash < 2 && isLimited) return 'hangs'
  return hash < 4 ? 'fails' : 'succeeds'
}

export function hashOf(text: string): number {
  let hash = 2_166_136_261
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619)
  return hash >>> 0
}

/** A number from 0 to less than 1, always the same sequence for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
