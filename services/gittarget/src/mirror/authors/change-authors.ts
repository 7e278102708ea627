import type { Identity } from '@agents/git'
import { managerAuthor, sameAuthor, userAuthor } from './author.ts'
import type { FieldWrite } from './field-managers.ts'

/** An object as requests name it. */
export interface RequestedObject {
  readonly group: string
  /** Plural, as in URLs. */
  readonly resource: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

/** A change of an object, as far as its author is concerned. */
export interface ObjectChange {
  readonly object: RequestedObject
  /** An object that waits for its finalizers is deleted already. */
  readonly effect: 'create' | 'update' | 'delete'
  /** What managedFields say about the change; undefined if the API server did not record it. */
  readonly write: FieldWrite | undefined
  /** Resource version that the change led to; undefined if the change was not seen itself. */
  readonly resourceVersion: string | undefined
  /** Resource version before the change; undefined for a new object. */
  readonly previousVersion: string | undefined
  /** When the change was seen, in milliseconds since 1970. */
  readonly seenMs: number
}

/** Finds the authenticated user of a change; undefined if it is not known. */
export type UserOfChange = (change: ObjectChange) => string | undefined

/** The authors of a commit. */
export interface Authorship {
  /** Who made the last change; undefined if that is not known. */
  readonly author: Identity | undefined
  /** Who made earlier changes that the commit also contains. */
  readonly coAuthors: readonly Identity[]
}

/** Earlier changes of one object in one window are not attributed. */
const mostChanges = 16

/** The changes behind the objects that wait to be written, and behind those of the current attempt. */
export class ChangeAuthors {
  readonly #userOf: UserOfChange
  #waiting = new Map<string, ObjectChange[]>()
  #attempted: ReadonlyMap<string, readonly ObjectChange[]> = new Map()

  constructor(userOf: UserOfChange = () => undefined) {
    this.#userOf = userOf
  }

  note(key: string, change: ObjectChange): void {
    const changes = this.#waiting.get(key) ?? []
    // Whoever removes the finalizers of a deleted object did not delete it.
    if (change.effect !== 'create' && changes.at(-1)?.effect === 'delete') return
    this.#waiting.set(key, [...changes, change].slice(-mostChanges))
  }

  drop(key: string): void {
    this.#waiting.delete(key)
  }

  /** Who changed these objects of the current attempt. */
  of(keys: Iterable<string>): Authorship {
    const authors: (Identity | undefined)[] = []
    for (const key of keys) {
      for (const change of this.#attempted.get(key) ?? []) authors.push(this.#authorOf(change))
    }
    const author = authors.at(-1)
    const others = distinct(authors.flatMap((one) => one ?? []))
    return {
      author,
      coAuthors: author ? others.filter((other) => !sameAuthor(other, author)) : others,
    }
  }

  /**
   * Runs an attempt with all waiting changes. If `work` returns true, the objects for which `isWaiting` returns true
   * were not written.
   */
  async attempt(work: () => Promise<boolean>, isWaiting: (key: string) => boolean): Promise<void> {
    const batch = this.#waiting
    this.#waiting = new Map()
    this.#attempted = batch
    try {
      if (await work()) this.#putBack(batch, isWaiting)
    } catch (error) {
      this.#putBack(batch, () => true)
      throw error
    } finally {
      this.#attempted = new Map()
    }
  }

  #putBack(
    batch: ReadonlyMap<string, readonly ObjectChange[]>,
    isKept: (key: string) => boolean,
  ): void {
    for (const [key, changes] of batch) {
      if (!isKept(key)) continue
      const later = this.#waiting.get(key) ?? []
      this.#waiting.set(key, [...changes, ...later].slice(-mostChanges))
    }
  }

  #authorOf(change: ObjectChange): Identity | undefined {
    const user = this.#userOf(change)
    if (user !== undefined) return userAuthor(user)
    return change.write && managerAuthor(change.write.manager)
  }
}

function distinct(authors: readonly Identity[]): Identity[] {
  return authors.filter((one, index) => authors.findIndex((o) => sameAuthor(o, one)) === index)
}
