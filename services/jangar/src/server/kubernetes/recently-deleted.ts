import { type Clock, type ResourceCache, systemClock } from '@agents/controller'
import { formatKey, type Indexer, type KubeObject } from '@agents/kube'

interface Deleted<T> {
  readonly object: T
  /** On the clock that only moves forward. */
  readonly until: number
}

/**
 * The objects of a kind that were deleted a moment ago and not created again, by index values. `kubectl replace
 * --force` deletes what it replaces, so that for this long the absence of an object that restricts says nothing.
 */
export class RecentlyDeleted<T extends KubeObject> {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #valuesOf: Indexer<T>
  readonly #byValue = new Map<string, Map<string, Deleted<T>>>()

  constructor(
    cache: Pick<ResourceCache<T>, 'subscribe'>,
    valuesOf: Indexer<T>,
    clock: Pick<Clock, 'elapsed'>,
  ) {
    this.#valuesOf = valuesOf
    this.#clock = clock
    cache.subscribe({
      onAdd: (object) => this.#forget(object),
      onUpdate: () => undefined,
      onDelete: (object) => this.#remember(object),
    })
  }

  with(value: string): readonly Deleted<T>[] {
    this.#expire()
    return [...(this.#byValue.get(value)?.values() ?? [])]
  }

  #remember(object: T): void {
    this.#forget(object)
    const until = this.#clock.elapsed() + deletedCountsMs
    for (const value of this.#valuesOf(object)) {
      const deleted = this.#byValue.get(value) ?? new Map<string, Deleted<T>>()
      this.#byValue.set(value, deleted)
      deleted.set(formatKey(object.metadata), { object, until })
    }
    this.#expire()
  }

  /** Whatever values it had when it was deleted: it may come back with others. */
  #forget({ metadata }: T): void {
    const key = formatKey(metadata)
    for (const deleted of this.#byValue.values()) deleted.delete(key)
  }

  #expire(): void {
    const now = this.#clock.elapsed()
    for (const [value, deleted] of this.#byValue) {
      // The earliest deletion is first.
      for (const [key, { until }] of deleted) {
        if (until > now) break
        deleted.delete(key)
      }
      if (deleted.size === 0) this.#byValue.delete(value)
    }
  }
}

/** Longer than a client takes to create again what it has deleted, and short enough after a deletion that is meant. */
export const deletedCountsMs = 10_000

/** A cache whose index still finds what was deleted a moment ago. */
export function withRecentlyDeleted<T extends KubeObject>(
  cache: ResourceCache<T>,
  [index, indexer]: readonly [name: string, indexer: Indexer<T>],
  clock: Pick<Clock, 'elapsed'> = systemClock,
): ResourceCache<T> {
  const deleted = new RecentlyDeleted(cache, indexer, clock)
  const byIndex: ResourceCache<T>['byIndex'] = (name, value) => {
    const found = cache.byIndex(name, value)
    if (name !== index) return found
    return [...found, ...deleted.with(value).map(({ object }) => object)]
  }
  return Object.create(cache, { byIndex: { value: byIndex, enumerable: true } })
}
