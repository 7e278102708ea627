import type { Clock } from '@agents/controller'
import type { ObjectChange, RequestedObject } from '../mirror/authors/change-authors.ts'
import type { AuditedWrite } from './audited-write.ts'

interface AuditedWritesOptions {
  readonly clock: Clock
  /** Whether changes of this resource are mirrored. */
  isWatched(object: Pick<RequestedObject, 'group' | 'resource'>): boolean
}

/** About 12 MiB. */
const mostWrites = 20_000

/** Far longer than a commit waits. */
const keptMs = 600_000

/** Between the clocks of an API server and of the operator, including the delay of a watch. */
const clockToleranceMs = 2_000

interface KeptWrite {
  readonly key: string
  readonly write: AuditedWrite
  readonly arrivedAt: number
  /** The resource version that this write alone can have led to. */
  ledTo: string | undefined
}

/**
 * The latest audited writes, to find the users of changes. An audit event does not say which change it led to; it may
 * have led to none. A user is only named if everything that is known about both agrees, and if no other user's write
 * agrees too.
 */
export class AuditedWrites {
  readonly #options: AuditedWritesOptions
  /** In the order of arrival. */
  readonly #kept = new Set<KeptWrite>()
  readonly #byObject = new Map<string, KeptWrite[]>()

  constructor(options: AuditedWritesOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#kept.size
  }

  /** Returns whether the write is remembered. */
  add(write: AuditedWrite): boolean {
    if (!this.#options.isWatched(write.object)) return false
    const key = keyOf(write.object)
    const arrivedAt = this.#options.clock.elapsed()
    const kept: KeptWrite = { key, write, arrivedAt, ledTo: undefined }
    this.#kept.add(kept)
    const ofObject = this.#byObject.get(key)
    if (ofObject === undefined) this.#byObject.set(key, [kept])
    else ofObject.push(kept)
    this.#forgetOld()
    return true
  }

  readonly userOf = (change: ObjectChange): string | undefined => {
    this.#forgetOld()
    const { object, effect, resourceVersion } = change
    if (resourceVersion === undefined) return undefined
    const candidates = [
      ...(this.#byObject.get(keyOf(object)) ?? []),
      ...(effect === 'delete' ? (this.#byObject.get(keyOf({ ...object, name: '' })) ?? []) : []),
    ].filter((kept) => couldHaveMade(change, kept))
    const [first, ...others] = candidates
    if (first === undefined) return undefined
    const { user } = first.write
    if (others.some(({ write }) => write.user !== user)) return undefined
    if (change.write !== undefined && others.length === 0) first.ledTo = resourceVersion
    return user
  }

  #forgetOld(): void {
    const oldest = this.#options.clock.elapsed() - keptMs
    for (const kept of this.#kept) {
      if (this.#kept.size <= mostWrites && kept.arrivedAt >= oldest) return
      this.#kept.delete(kept)
      const ofObject = this.#byObject.get(kept.key)
      // The first one of an object is its oldest.
      ofObject?.shift()
      if (ofObject?.length === 0) this.#byObject.delete(kept.key)
    }
  }
}

function keyOf({ group, resource, namespace, name }: RequestedObject): string {
  return `${group}/${resource}/${namespace}/${name}`
}

function couldHaveMade(change: ObjectChange, { write, ledTo }: KeptWrite): boolean {
  const isDeletion = write.verb === 'delete' || write.verb === 'deletecollection'
  if (isDeletion !== (change.effect === 'delete')) return false
  if (isDeletion) return write.subresource === '' && wasAtTheTime(change, write)
  const { previousVersion, resourceVersion } = write
  if (previousVersion !== undefined && previousVersion !== change.previousVersion) return false
  if (resourceVersion !== undefined && resourceVersion !== change.resourceVersion) return false
  if (change.write === undefined) {
    const isFree = ledTo === undefined || ledTo === change.resourceVersion
    return isFree && write.subresource !== 'status' && wasAtTheTime(change, write)
  }
  const { manager, time, subresources } = change.write
  // The API server takes the time of managedFields and of its audit events from the same clock.
  const writtenMs = Date.parse(time)
  return (
    manager === write.manager &&
    subresources.includes(write.subresource) &&
    writtenMs + 1_000 > write.receivedMs &&
    writtenMs <= write.completedMs
  )
}

function wasAtTheTime({ seenMs }: ObjectChange, write: AuditedWrite): boolean {
  return (
    seenMs >= write.receivedMs - clockToleranceMs && seenMs <= write.completedMs + clockToleranceMs
  )
}
