import { hasMovedSince, type PreviousMirror } from '../previous-mirror.ts'
import type { Writer } from './branch-writers.ts'

/**
 * Knows whether another writer moved the branch since the last comparison, also if the mirror or its worker was
 * replaced since.
 */
export class ForeignChanges {
  readonly #previous: PreviousMirror | undefined
  #writer: Pick<Writer, 'foreignChanges'> | undefined
  /** What the status has from an earlier process, until a comparison has considered it. */
  #recorded: PreviousMirror['recorded']
  /** Undefined until the first comparison of a new target: it has written nothing that could have been changed. */
  #considered: number | undefined
  #found: number | undefined

  constructor(previous: PreviousMirror | undefined) {
    this.#previous = previous
    this.#recorded = previous?.recorded
  }

  start(writer: Pick<Writer, 'foreignChanges'>): void {
    this.#writer = writer
    if (this.#previous === undefined) return
    this.#considered = this.#previous.foreignChanges ?? writer.foreignChanges
  }

  /** To be called directly after the branch was read, because reading it may be what finds a change. */
  check(): boolean {
    this.#found = this.#writer?.foreignChanges
    return this.#considered !== undefined && this.#considered !== this.#found
  }

  /** Whether another writer moved the branch to the commit while no process of this mirror ran. */
  hasMovedBefore(commit: string | undefined, lastPushed: string | undefined): boolean {
    return hasMovedSince(this.#recorded, commit, lastPushed)
  }

  /** To be called after a comparison that was pushed. */
  compared(): void {
    this.#considered = this.#found
    this.#recorded = undefined
  }

  /** What the next mirror has to know; undefined if there is nothing yet. */
  handOver(drifted: PreviousMirror['drifted']): PreviousMirror | undefined {
    if (this.#considered === undefined) return this.#previous
    return { recorded: this.#recorded, drifted, foreignChanges: this.#considered }
  }
}
