import type { ChangeHandlers, Clock } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { type Condition, formatKey } from '@agents/kube'
import { isFinished, rfc3339 } from '@agents/status'
import { Admission } from '../admission.ts'
import type { AdmissionAnswer } from '../admission-answer.ts'
import { demandOf } from '../run-facts.ts'
import type { AdmissionLimits } from '../scopes.ts'

export const noLimits: AdmissionLimits = {
  concurrency: { perNamespace: 0, perAgent: 0, cluster: 0 },
  repoConcurrency: { enabled: false, default: 0, overrides: {} },
  queue: { perNamespace: 0, perRepo: 0, cluster: 0 },
  rate: { windowMs: 60_000, perNamespace: 0, perRepo: 0, cluster: 0 },
}

export interface RunOptions {
  readonly namespace?: string | undefined
  readonly repository?: string | undefined
  readonly agent?: string | undefined
  readonly priority?: number | undefined
}

/** An API server, a cache that lags behind it, and a controller that asks for places: as much of them as admission sees. */
export class World {
  readonly clock = new StandingClock()
  /** What the server has. */
  readonly runs = new Map<string, AgentRun>()
  /** In the order in which places were given, which is not that of the writes that say so: one may be lost and made again. */
  started: string[] = []
  readonly answers = new Map<string, AdmissionAnswer>()
  /** Status writes, by key. */
  readonly writes = new Map<string, number>()
  /** Runs whose work has been created. */
  readonly working = new Set<string>()
  admission: Admission
  readonly #limits: AdmissionLimits
  #handlers: ChangeHandlers<AgentRun> | undefined
  #events: (() => void)[] = []
  #woken = new Set<string>()
  #due = new Set<string>()
  #version = 0
  #serial = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
    this.admission = this.#controller()
  }

  create(options: RunOptions = {}): string {
    this.#serial += 1
    const name = `run-${String(this.#serial).padStart(5, '0')}`
    const { namespace = 'team', repository, agent = 'coder', priority } = options
    const run = {
      apiVersion: 'agents.proompteng.ai/v1alpha1',
      kind: 'AgentRun',
      metadata: {
        name,
        namespace,
        uid: `uid-${namespace}-${name}`,
        creationTimestamp: rfc3339(this.clock.now()),
      },
      spec: {
        agentRef: { name: agent },
        runtime: { type: 'job' },
        ...(repository !== undefined && { parameters: { repository } }),
        ...(priority !== undefined && { priority }),
      },
    } as unknown as AgentRun
    this.#write(run)
    return formatKey(run.metadata)
  }

  finish(key: string): void {
    this.#condition(key, { type: 'Finished', status: 'True', reason: 'Succeeded' })
  }

  /** Nobody sees it at work: what is written shows that it has ended. */
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
    this.#write({ ...run, status: { ...status, conditions } } as AgentRun)
  }

  cancel(key: string): void {
    const run = this.#run(key)
    this.#write({ ...run, spec: { ...run.spec, cancel: true } })
  }

  refuse(key: string): void {
    this.#condition(key, { type: 'Accepted', status: 'False', reason: 'DependencyMissing' })
  }

  delete(key: string): void {
    const run = this.#run(key)
    this.runs.delete(key)
    this.#events.push(() => {
      this.#handlers?.onDelete(run)
      this.admission.gone(key)
    })
  }

  /** A new process: all that it knows is what the server has. */
  restart(): void {
    this.#events = []
    this.#woken = new Set()
    this.#due = new Set()
    this.started = this.started.filter((key) => {
      const run = this.runs.get(key)
      return run === undefined || conditionOf(run, 'Admitted')?.status === 'True'
    })
    this.admission = this.#controller()
  }

  /** The cache sees the next so many changes. */
  deliver(count = Number.POSITIVE_INFINITY): void {
    for (const event of this.#events.splice(0, count)) event()
  }

  /** The controller looks at the next run that is due; `false` if none is. `loseWrite`: what it found is not written. */
  pass({ loseWrite = false } = {}): boolean {
    const [key] = [...this.#woken.values().take(1), ...this.#due.values().take(1)]
    if (key === undefined) return false
    this.#woken.delete(key)
    this.#due.delete(key)
    this.look(key, loseWrite)
    return true
  }

  look(key: string, loseWrite = false): void {
    const run = this.runs.get(key)
    if (!run || isFinished(run.status?.conditions) || run.spec.cancel) return
    const answer = this.admission.ask(run, demandOf(run))
    if (answer.kind === 'admitted' && !this.started.includes(key)) this.started.push(key)
    if (loseWrite) {
      this.#due.add(key)
      return
    }
    this.answers.set(key, answer)
    this.#report(key, run, answer)
  }

  /** Until nothing happens any more. */
  settle(): void {
    do this.deliver()
    while (this.pass())
  }

  /** Those who have a place, as the server knows them. */
  running(): AgentRun[] {
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

  #report(key: string, run: AgentRun, answer: AdmissionAnswer): void {
    const before = conditionOf(run, 'Admitted')
    const isAdmitted = answer.kind === 'admitted'
    const next = isAdmitted
      ? { status: 'True' as const, reason: 'Admitted', message: '' }
      : { status: 'False' as const, reason: answer.reason, message: answer.message }
    if (before?.status === next.status && before.message === next.message) return
    this.writes.set(key, (this.writes.get(key) ?? 0) + 1)
    this.#condition(key, { type: 'Admitted', ...next })
  }

  #condition(key: string, condition: Omit<Condition, 'lastTransitionTime' | 'message'>): void {
    const run = this.#run(key)
    const others = (run.status?.conditions ?? []).filter(({ type }) => type !== condition.type)
    const lastTransitionTime = rfc3339(this.clock.now())
    const changed = { message: '', ...condition, lastTransitionTime }
    this.#write({
      ...run,
      status: { ...run.status, conditions: [...others, changed] },
    } as AgentRun)
  }

  #write(run: AgentRun): void {
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

  #run(key: string): AgentRun {
    const run = this.runs.get(key)
    if (!run) throw new Error(`no run ${key}`)
    return run
  }

  #controller(): Admission {
    const admission = new Admission({
      runs: {
        subscribe: (handlers) => {
          this.#handlers = handlers
          // A list comes by name, not by age.
          for (const key of [...this.runs.keys()].sort()) {
            handlers.onAdd(this.#run(key), true)
            this.#due.add(key)
          }
          return { hasSynced: () => true, remove: () => undefined }
        },
      },
      limits: this.#limits,
      clock: this.clock,
      hasWork: ({ metadata }) => this.working.has(formatKey(metadata)),
    })
    admission.source.start((key) => this.#woken.add(key))
    return admission
  }
}

export function conditionOf(run: AgentRun, type: string): Condition | undefined {
  const conditions = run.status?.conditions as readonly Condition[] | undefined
  return conditions?.find((condition) => condition.type === type)
}

interface Alarm {
  readonly at: number
  readonly action: () => void
}

/** Stands still until it is moved. */
class StandingClock implements Clock {
  readonly #alarms = new Set<Alarm>()
  #elapsed = 0

  now(): Date {
    return new Date(start + this.#elapsed)
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(milliseconds: number, action: () => void): () => void {
    const alarm = { at: this.#elapsed + milliseconds, action }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  advance(milliseconds: number): void {
    const end = this.#elapsed + milliseconds
    for (let alarm = this.#next(end); alarm; alarm = this.#next(end)) {
      this.#alarms.delete(alarm)
      this.#elapsed = Math.max(this.#elapsed, alarm.at)
      alarm.action()
    }
    this.#elapsed = end
  }

  get alarms(): number {
    return this.#alarms.size
  }

  #next(end: number): Alarm | undefined {
    const due = [...this.#alarms].filter(({ at }) => at <= end)
    return due.sort((a, b) => a.at - b.at)[0]
  }
}

const start = Date.parse('2026-01-01T00:00:00Z')
