import type { ChangeHandlers, Clock } from '@agents/controller'
import { type Condition, formatKey, type KubeObject } from '@agents/kube'
import { isFinished, rfc3339 } from '@agents/status'
import { conditionOf } from '../../kubernetes/condition-of.ts'
import { Admission } from '../admission.ts'
import type { AdmissionDecision } from '../admission-decision.ts'
import { mayHoldWaiting } from '../admitted-gate.ts'
import type { AdmissionLimits } from '../scopes.ts'

export const noLimits: AdmissionLimits = {
  concurrency: { perNamespace: 0, perAgent: 0, cluster: 0 },
  repoConcurrency: { enabled: false, default: 0, overrides: {} },
  queue: { perNamespace: 0, perRepo: 0, cluster: 0 },
  rate: { windowMs: 60_000, perNamespace: 0, perRepo: 0, cluster: 0 },
}

/** Limits that only restrict how many runs are admitted at a time. */
export function atATime(cluster: number): AdmissionLimits {
  return { ...noLimits, concurrency: { ...noLimits.concurrency, cluster } }
}

/** A run of no particular kind: what admission sees of one. */
export interface TestRun extends KubeObject {
  readonly spec: RunOptions & { readonly cancel?: boolean }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

export interface RunOptions {
  readonly namespace?: string | undefined
  readonly repository?: string | undefined
  readonly agent?: string | undefined
  readonly workspaces?: readonly string[]
  readonly priority?: number | undefined
}

/** An API server, a cache that lags behind it, and a controller that requests slots, as far as admission sees them. */
export class AdmissionHarness {
  readonly clock = new StoppedClock()
  /** The runs on the server. */
  readonly runs = new Map<string, TestRun>()
  /** In order of admission, which may differ from the order of status writes: one may be lost and repeated. */
  started: string[] = []
  readonly decisions = new Map<string, AdmissionDecision>()
  /** Status writes, by key. */
  readonly writes = new Map<string, number>()
  /** Keys of runs that have a Job. */
  readonly withJobs = new Set<string>()
  admission: Admission<TestRun>
  readonly #limits: AdmissionLimits
  /** Whether the first status of a waiting run is held back, so that the server never has it. */
  readonly #holdsWaiting: boolean
  /** Whether the names of later runs sort before those of earlier ones. */
  readonly #namesDescend: boolean
  /** Whether a run itself shows its repository, or only once it is resolved. */
  readonly #showsRepository: boolean
  #handlers: ChangeHandlers<TestRun> | undefined
  #events: (() => void)[] = []
  #requeued = new Set<string>()
  #due = new Set<string>()
  #version = 0
  #serial = 0

  constructor(
    limits: AdmissionLimits,
    { holdsWaiting = false, namesDescend = false, showsRepository = true } = {},
  ) {
    this.#limits = limits
    this.#holdsWaiting = holdsWaiting
    this.#namesDescend = namesDescend
    this.#showsRepository = showsRepository
    this.admission = this.#controller()
  }

  create(options: RunOptions = {}): string {
    this.#serial += 1
    const number = this.#namesDescend ? 99_999 - this.#serial : this.#serial
    const name = `run-${String(number).padStart(5, '0')}`
    const { namespace = 'team', repository, agent = 'coder', priority, workspaces = [] } = options
    const run: TestRun = {
      apiVersion: 'test/v1',
      kind: 'TestRun',
      metadata: {
        name,
        namespace,
        uid: `uid-${namespace}-${name}`,
        creationTimestamp: rfc3339(this.clock.now()),
      },
      spec: { agent, repository, priority, workspaces },
    }
    this.#write(run)
    return formatKey(run.metadata)
  }

  finish(key: string): void {
    this.#conditions(key, { type: 'Finished', status: 'True', reason: 'Succeeded' })
  }

  /** The first status that is observed shows that the run has finished. */
  finishUnseen(key: string): void {
    const { status, ...run } = this.#run(key)
    const lastTransitionTime = rfc3339(this.clock.now())
    const conditions = ['Admitted', 'Finished'].map((type) => ({
      type,
      status: 'True',
      reason: 'Succeeded',
      message: '',
      lastTransitionTime,
    }))
    this.#write({ ...run, status: { ...status, conditions } } as TestRun)
  }

  cancel(key: string): void {
    const run = this.#run(key)
    this.#write({ ...run, spec: { ...run.spec, cancel: true } })
  }

  refuse(key: string): void {
    const accepted = { type: 'Accepted', status: 'False', reason: 'DependencyMissing' } as const
    this.#conditions(key, accepted, { type: 'Admitted', status: 'Unknown', reason: 'Blocked' })
  }

  /** What the run waited for exists now, which its status shows with the next decision. */
  accept(key: string): void {
    this.#due.add(key)
  }

  delete(key: string): void {
    const run = this.#run(key)
    this.runs.delete(key)
    this.#events.push(() => {
      this.#handlers?.onDelete(run)
      this.admission.forget(key)
    })
  }

  /** Another run has its name now: the cache shows the deletion and the new run as one change. */
  recreate(key: string): void {
    const { status: _, ...run } = this.#run(key)
    this.#write({ ...run, metadata: { ...run.metadata, uid: `${run.metadata.uid}-again` } })
  }

  /** Starts a new process, which knows only what is on the server. */
  restart(): void {
    this.#events = []
    this.#requeued = new Set()
    this.#due = new Set()
    this.started = this.started.filter((key) => {
      const run = this.runs.get(key)
      return run === undefined || conditionOf(run, 'Admitted')?.status === 'True'
    })
    this.admission = this.#controller()
  }

  /** The cache observes the next `count` changes. */
  deliver(count = Number.POSITIVE_INFINITY): void {
    for (const event of this.#events.splice(0, count)) event()
  }

  /** Reconciles the next run that is due; `false` if none is. `loseWrite`: the status write fails. */
  reconcileNext({ loseWrite = false } = {}): boolean {
    const [key] = [...this.#requeued.values().take(1), ...this.#due.values().take(1)]
    if (key === undefined) return false
    this.#requeued.delete(key)
    this.#due.delete(key)
    this.reconcile(key, loseWrite)
    return true
  }

  reconcile(key: string, loseWrite = false): void {
    const run = this.runs.get(key)
    if (!run || isFinished(run.status?.conditions) || run.spec.cancel) return
    const decision = this.admission.request(run, run.spec)
    if (decision.kind === 'admitted' && !this.started.includes(key)) this.started.push(key)
    if (loseWrite) {
      this.#due.add(key)
      return
    }
    this.decisions.set(key, decision)
    const isHeld =
      this.#holdsWaiting && decision.kind === 'waiting' && mayHoldWaiting(run, decision)
    if (!isHeld) this.#report(key, run, decision)
  }

  /** Reconciles until nothing is due. */
  settle(): void {
    do this.deliver()
    while (this.reconcileNext())
  }

  /** Runs that have a slot according to their status. */
  running(): TestRun[] {
    return [...this.runs.values()].filter(
      (run) =>
        conditionOf(run, 'Admitted')?.status === 'True' && !isFinished(run.status?.conditions),
    )
  }

  unfinished(): string[] {
    return [...this.runs.entries()]
      .filter(([, run]) => !isFinished(run.status?.conditions))
      .map(([key]) => key)
  }

  #report(key: string, run: TestRun, decision: AdmissionDecision): void {
    const before = conditionOf(run, 'Admitted')
    const isAdmitted = decision.kind === 'admitted'
    const next = isAdmitted
      ? { status: 'True' as const, reason: 'Admitted', message: '' }
      : { status: 'False' as const, reason: decision.reason, message: decision.message }
    if (before?.status === next.status && before.message === next.message) return
    this.writes.set(key, (this.writes.get(key) ?? 0) + 1)
    const accepted = { type: 'Accepted', status: 'True', reason: 'Accepted' } as const
    this.#conditions(key, accepted, { type: 'Admitted', ...next })
  }

  #conditions(key: string, ...changed: Omit<Condition, 'lastTransitionTime' | 'message'>[]): void {
    const run = this.#run(key)
    const others = (run.status?.conditions ?? []).filter(({ type }) =>
      changed.every((one) => one.type !== type),
    )
    const lastTransitionTime = rfc3339(this.clock.now())
    const conditions = changed.map((one) => ({ message: '', ...one, lastTransitionTime }))
    this.#write({
      ...run,
      status: { ...run.status, conditions: [...others, ...conditions] },
    } as TestRun)
  }

  #write(run: TestRun): void {
    this.#version += 1
    const key = formatKey(run.metadata)
    const before = this.runs.get(key)
    const metadata = { ...run.metadata, resourceVersion: `${this.#version}` }
    const after = { ...run, metadata }
    this.runs.set(key, after)
    this.#events.push(() => {
      if (before) this.#handlers?.onUpdate(before, after)
      else {
        this.#handlers?.onAdd(after, false)
        this.#due.add(key)
      }
    })
  }

  #run(key: string): TestRun {
    const run = this.runs.get(key)
    if (!run) throw new Error(`no run ${key}`)
    return run
  }

  #controller(): Admission<TestRun> {
    const admission = new Admission<TestRun>({
      runs: {
        subscribe: (handlers) => {
          this.#handlers = handlers
          // A list is sorted by name, not by age.
          for (const key of [...this.runs.keys()].sort()) {
            handlers.onAdd(this.#run(key), true)
            this.#due.add(key)
          }
          return { hasSynced: () => true, remove: () => undefined }
        },
      },
      limits: this.#limits,
      clock: this.clock,
      demandOf: ({ spec: { repository, ...others } }) =>
        this.#showsRepository ? { ...others, repository } : others,
      priorityOf: ({ spec }) => spec.priority ?? 0,
      isCancelled: ({ spec }) => spec.cancel === true,
      hasJobs: ({ metadata }) => this.withJobs.has(formatKey(metadata)),
    })
    admission.source.start((key) => this.#requeued.add(key))
    return admission
  }
}

/** Lets each run that is started finish, until no other one starts. */
export function runToTheEnd(harness: AdmissionHarness): void {
  harness.settle()
  for (let at = 0; at < harness.started.length; at += 1) {
    const key = harness.started[at]
    if (key !== undefined) harness.finish(key)
    harness.settle()
  }
}

interface Timer {
  readonly at: number
  readonly action: () => void
}

/** A clock that only tests advance. */
class StoppedClock implements Clock {
  readonly #timers = new Set<Timer>()
  #elapsed = 0

  now(): Date {
    return new Date(start + this.#elapsed)
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#elapsed + milliseconds, action }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  advance(milliseconds: number): void {
    const end = this.#elapsed + milliseconds
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer)
      this.#elapsed = Math.max(this.#elapsed, timer.at)
      timer.action()
    }
    this.#elapsed = end
  }

  get timers(): number {
    return this.#timers.size
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end)
    return due.sort((a, b) => a.at - b.at)[0]
  }
}

const start = Date.parse('2026-01-01T00:00:00Z')
