import type { Clock, ResourceCache } from '@agents/controller'
import type { KindRef, KubeObject } from '@agents/kube'
import { fullNameOf } from '../definitions/platform-kinds.ts'
import { EventCursors } from './event-cursor.ts'
import { KeptEvents } from './kept-events.ts'
import type { RunSource } from './list-runs.ts'
import { type AnyRun, runSummary } from './run-summary.ts'

/** A change of a run, or of another object. */
export interface RunEvent {
  readonly kind: KindRef
  readonly isRun: boolean
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly action: Change
  /** The number of changes before it. */
  readonly position: number
  /** What a reader sends to continue after it. */
  readonly cursor: string
  /** As it is sent, made once for all readers. */
  readonly text: string
}

/** Changes that follow each other, made once for all readers that are at the same place. */
export interface EventChunk {
  /** The position after the last of them. */
  readonly end: number
  readonly bytes: Uint8Array
  /** One change of each kind and namespace among them. */
  readonly samples: readonly RunEvent[]
}

interface EventWaiter {
  /** Resolves when there is a change of any sort after the position, after the time, or when the signal is aborted. */
  wait(position: number, milliseconds: number): Promise<void>
}

/** What a reader wants to know of. */
interface Reading {
  /** Changes of other objects, beside those of runs. */
  readonly objects: boolean
}

type Change = 'ADDED' | 'MODIFIED' | 'DELETED'

/** How many changes are kept for readers that come back. */
const keptEvents = 10_000
/** Whoever may create runs chooses how large they are. */
const keptCharacters = 16 * 1024 * 1024
/** Of other objects, which are kept apart: a flood of them must not push out the changes of runs. */
const keptObjectCharacters = 4 * 1024 * 1024
/** Many changes in a short time reach readers together: a thousand readers cost as many writes, whatever changes. */
const leastPauseMs = 50
const longestPauseMs = 100
const pauseMsPerReader = 0.1

/** Sent at a time, so that a slow reader holds little memory. */
export const largestChunk = 16 * 1024
/** Readers are at few places, unless many are slow. */
const mostChunks = 100

interface EventLimits {
  readonly capacity?: number
  readonly characters?: number
}

/** Objects of a kind other than runs. Only their names are sent: whoever wants more reads them. */
export interface ObjectSource {
  readonly cache: Pick<ResourceCache<KubeObject>, 'kind' | 'subscribe'>
}

interface KnownKind {
  /** `agents.agents.proompteng.ai` */
  readonly name: string
  hasSynced(): boolean
}

/**
 * The last changes of runs and other objects, numbered in the order in which the caches saw them. All readers share it;
 * none has a buffer of its own.
 */
export class RunEvents {
  readonly #cursors = new EventCursors()
  readonly #clock: Clock
  readonly #runs: KeptEvents<RunEvent>
  readonly #objects: KeptEvents<RunEvent>
  readonly #kinds: readonly KnownKind[]
  readonly #waiting = new Set<() => void>()
  /** By what is read, and the position before them. */
  readonly #chunks = new Map<string, EventChunk>()
  #end = 0
  #wokenAt = Number.NEGATIVE_INFINITY
  #isWaking = false

  constructor(
    sources: readonly Pick<RunSource, 'cache'>[],
    clock: Clock,
    { capacity = keptEvents, characters = keptCharacters }: EventLimits = {},
    objects: readonly ObjectSource[] = [],
  ) {
    this.#clock = clock
    this.#runs = new KeptEvents(capacity, characters)
    this.#objects = new KeptEvents(capacity, Math.min(characters, keptObjectCharacters))
    for (const { cache } of sources) {
      cache.subscribe({
        onAdd: (run, isInInitialList) => {
          if (!isInInitialList) this.#appendRun('ADDED', cache.kind, run)
        },
        onUpdate: (before, after) => {
          if (hasChanged(before, after)) this.#appendRun('MODIFIED', cache.kind, after)
        },
        onDelete: (run) => this.#appendRun('DELETED', cache.kind, run),
      })
    }
    this.#kinds = objects.map(({ cache }) => {
      const { kind } = cache
      const { hasSynced } = cache.subscribe({
        onAdd: (object, isInInitialList) => {
          if (!isInInitialList) this.#appendObject('ADDED', kind, object)
        },
        onUpdate: (before, after) => {
          if (hasChanged(before, after)) this.#appendObject('MODIFIED', kind, after)
        },
        onDelete: (object) => this.#appendObject('DELETED', kind, object),
      })
      return { name: fullNameOf(kind), hasSynced }
    })
  }

  /** The position after the last change. */
  get end(): number {
    return this.#end
  }

  /** The kinds of other objects whose changes are known from now on. */
  get kinds(): { readonly names: readonly string[]; readonly areAll: boolean } {
    const names = this.#kinds.flatMap(({ name, hasSynced }) => (hasSynced() ? [name] : []))
    return { names, areAll: names.length === this.#kinds.length }
  }

  /** What a reader sends to continue at the position. */
  cursorOf(position: number): string {
    return this.#cursors.write(position)
  }

  /** The position of a cursor. Undefined if changes since then are not known here. */
  positionOf(cursor: string, what: Reading): number | undefined {
    const position = this.#cursors.read(cursor)
    return position !== undefined && this.isKept(position, what) ? position : undefined
  }

  /** Whether all changes after the position are still kept. */
  isKept(position: number, { objects }: Reading): boolean {
    return this.#runs.isKept(position) && (!objects || this.#objects.isKept(position))
  }

  /** The first change after the position. Undefined if there is none yet. */
  after(position: number, { objects }: Reading): RunEvent | undefined {
    const run = this.#runs.after(position)
    const object = objects ? this.#objects.after(position) : undefined
    if (run === undefined || object === undefined) return run ?? object
    return run.position < object.position ? run : object
  }

  /** The changes after the position, as many as are sent at a time. Undefined if there is none yet. */
  chunkAfter(position: number, what: Reading): EventChunk | undefined {
    const key = `${what.objects ? 'all' : 'runs'} ${position}`
    const known = this.#chunks.get(key)
    if (known !== undefined || !this.isKept(position, what)) return known
    const samples = new Map<string, RunEvent>()
    let text = ''
    let end = position
    while (text.length < largestChunk) {
      const next = this.after(end, what)
      if (next === undefined) break
      text += next.text
      end = next.position + 1
      samples.set(`${next.kind.kind}/${next.namespace}`, next)
    }
    if (samples.size === 0) return undefined
    const chunk = { end, bytes: Buffer.from(text), samples: [...samples.values()] }
    if (this.#chunks.size >= mostChunks) this.#chunks.clear()
    this.#chunks.set(key, chunk)
    return chunk
  }

  /**
   * What one reader waits with, until the signal is aborted. It listens to the signal once: a listener for each wait
   * would take longer than the rest of it.
   */
  waiter(signal: AbortSignal): EventWaiter {
    let wake: (() => void) | undefined
    signal.addEventListener('abort', () => wake?.(), { once: true })
    return {
      wait: async (position, milliseconds) => {
        if (position < this.#end || signal.aborted) return
        await new Promise<void>((resolve) => {
          const woken = (): void => {
            this.#waiting.delete(woken)
            cancel()
            resolve()
          }
          const cancel = this.#clock.after(milliseconds, woken)
          wake = woken
          this.#waiting.add(woken)
        })
      },
    }
  }

  #appendRun(type: Change, kind: KindRef, run: AnyRun): void {
    const data = { type, run: runSummary({ ...run, kind: kind.kind }) }
    const { namespace = '', name, uid = '' } = run.metadata
    this.#append({ kind, isRun: true, namespace, name, uid, action: type }, 'change', data)
  }

  #appendObject(type: Change, kind: KindRef, { metadata }: KubeObject): void {
    const { namespace = '', name, uid = '' } = metadata
    const data = { type, object: { kind: fullNameOf(kind), namespace, name, uid } }
    this.#append({ kind, isRun: false, namespace, name, uid, action: type }, 'object', data)
  }

  #append(
    about: Omit<RunEvent, 'text' | 'cursor' | 'position'>,
    event: string,
    data: object,
  ): void {
    const position = this.#end
    const cursor = this.cursorOf(position + 1)
    const text = `id: ${cursor}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
    const kept = about.isRun ? this.#runs : this.#objects
    kept.append({ ...about, position, cursor, text })
    this.#end += 1
    this.#chunks.clear()
    this.#wakeSoon()
  }

  /** The first change after a while without one is not delayed. */
  #wakeSoon(): void {
    if (this.#isWaking || this.#waiting.size === 0) return
    this.#isWaking = true
    const wanted = this.#waiting.size * pauseMsPerReader
    const pauseMs = Math.min(Math.max(wanted, leastPauseMs), longestPauseMs)
    this.#clock.after(this.#wokenAt + pauseMs - this.#clock.elapsed(), () => {
      this.#isWaking = false
      this.#wokenAt = this.#clock.elapsed()
      for (const wake of [...this.#waiting]) wake()
    })
  }
}

function hasChanged(before: KubeObject, after: KubeObject): boolean {
  return before.metadata.resourceVersion !== after.metadata.resourceVersion
}
