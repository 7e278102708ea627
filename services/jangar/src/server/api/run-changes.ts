import { type Clock, type ResourceCache, sleep } from '@agents/controller'
import { formatKey, type ObjectKey } from '@agents/kube'
import type { AnyRun } from './run-summary.ts'

/** Tells who waits for a run that it has changed. All of them share one subscription to the cache. */
export class RunChanges {
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #subscription

  constructor(cache: ResourceCache<AnyRun>) {
    const tell = ({ metadata }: AnyRun): void => {
      for (const listener of this.#listeners.get(formatKey(metadata)) ?? []) listener()
    }
    this.#subscription = cache.subscribe({
      onAdd: tell,
      onUpdate: (_before, after) => tell(after),
      onDelete: tell,
    })
  }

  isFilled(): boolean {
    return this.#subscription.hasSynced()
  }

  /**
   * Resolves when `isDone` is true, checked now and after each change; or after the time; or when the caller is gone.
   */
  async until(
    key: ObjectKey,
    isDone: () => boolean,
    clock: Clock,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<void> {
    const done = new AbortController()
    const check = (): void => {
      if (isDone()) done.abort()
    }
    const name = formatKey(key)
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    listeners.add(check)
    try {
      check()
      await sleep(clock, milliseconds, AbortSignal.any([done.signal, signal]))
    } finally {
      listeners.delete(check)
      if (listeners.size === 0) this.#listeners.delete(name)
    }
  }
}
