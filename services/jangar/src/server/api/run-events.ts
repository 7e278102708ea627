import { randomBytes } from 'node:crypto'
import { type Clock, sleep } from '@agents/controller'
import type { KindRef } from '@agents/kube'
import type { RunSource } from './list-runs.ts'
import { type AnyRun, runSummary } from './run-summary.ts'

/** A change of a run. */
export interface RunEvent {
  readonly kind: KindRef
  readonly namespace: string
  /** As it is sent, made once for all readers. */
  readonly text: string
}

type Change = 'ADDED' | 'MODIFIED' | 'DELETED'

/** How many changes are kept for readers that come back: some megabytes. */
const keptEvents = 10_000

/**
 * The last changes of runs, numbered in the order in which the caches saw them. All readers share it; none has a buffer
 * of its own.
 */
export class RunEvents {
  /** Numbers are those of one process: another one has seen other changes in another order. */
  readonly #epoch = randomBytes(6).toString('hex')
  readonly #capacity: number
  readonly #kept: RunEvent[] = []
  readonly #waiting = new Set<() => void>()
  #end = 0

  constructor(sources: readonly Pick<RunSource, 'cache'>[], capacity: number = keptEvents) {
    this.#capacity = capacity
    for (const { cache } of sources) {
      cache.subscribe({
        onAdd: (run, isInInitialList) => {
          if (!isInInitialList) this.#append('ADDED', cache.kind, run)
        },
        onUpdate: (before, after) => {
          if (before.metadata.resourceVersion !== after.metadata.resourceVersion) {
            this.#append('MODIFIED', cache.kind, after)
          }
        },
        onDelete: (run) => this.#append('DELETED', cache.kind, run),
      })
    }
  }

  /** The position after the last change. */
  get end(): number {
    return this.#end
  }

  /** What a reader sends to continue at the position. */
  cursorOf(position: number): string {
    return `${this.#epoch}-${position}`
  }

  /** The position of a cursor. Undefined if changes since then are not known here. */
  positionOf(cursor: string): number | undefined {
    const [, epoch, digits] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(cursor) ?? []
    const position = Number(digits)
    if (epoch !== this.#epoch || position > this.#end || !this.isKept(position)) return undefined
    return position
  }

  /** Whether all changes after the position are still kept. */
  isKept(position: number): boolean {
    return position >= this.#end - this.#capacity
  }

  /** The change after the position. Undefined if there is none yet. */
  after(position: number): RunEvent | undefined {
    return position < this.#end ? this.#kept[position % this.#capacity] : undefined
  }

  /** Resolves when there is a change after the position, after the time, or when the signal is aborted. */
  async wait(
    position: number,
    clock: Clock,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (position < this.#end) return
    const woken = new AbortController()
    const wake = (): void => woken.abort()
    this.#waiting.add(wake)
    try {
      await sleep(clock, milliseconds, AbortSignal.any([woken.signal, signal]))
    } finally {
      this.#waiting.delete(wake)
    }
  }

  #append(type: Change, kind: KindRef, run: AnyRun): void {
    const position = this.#end
    this.#end += 1
    const data = JSON.stringify({ type, run: runSummary({ ...run, kind: kind.kind }) })
    this.#kept[position % this.#capacity] = {
      kind,
      namespace: run.metadata.namespace ?? '',
      text: `id: ${this.cursorOf(this.#end)}\nevent: change\ndata: ${data}\n\n`,
    }
    for (const wake of [...this.#waiting]) wake()
  }
}
