import type { Clock } from '@agents/kube'

interface Alarm {
  readonly at: number
  readonly action: () => void
}

/** A clock that only moves when it is advanced, for tests about time. */
export class ManualClock implements Clock {
  #elapsed = 0
  #wall: number
  readonly #alarms = new Set<Alarm>()

  constructor(start = new Date('2026-01-01T00:00:00Z')) {
    this.#wall = start.getTime()
  }

  now(): Date {
    return new Date(this.#wall)
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(milliseconds: number, action: () => void): () => void {
    const alarm = { at: this.#elapsed + Math.max(milliseconds, 0), action }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  /** Advances time. Promises settle between two alarms, so that they can set further alarms. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds
    await settle()
    for (let alarm = this.#next(end); alarm; alarm = this.#next(end)) {
      this.#alarms.delete(alarm)
      this.#pass(alarm.at - this.#elapsed)
      alarm.action()
      await settle()
    }
    this.#pass(end - this.#elapsed)
    await settle()
  }

  /** Moves the wall clock only, as an administrator or a time server does. */
  jump(milliseconds: number): void {
    this.#wall += milliseconds
  }

  get pendingAlarms(): number {
    return this.#alarms.size
  }

  #pass(milliseconds: number): void {
    this.#elapsed += milliseconds
    this.#wall += milliseconds
  }

  #next(end: number): Alarm | undefined {
    let first: Alarm | undefined
    for (const alarm of this.#alarms) {
      if (alarm.at <= end && (first === undefined || alarm.at < first.at)) first = alarm
    }
    return first
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
