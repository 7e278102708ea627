import type { Enqueue, Source } from '@agents/controller'

/** A source that lets one part of the process requeue an object of another. */
export class KeyWaker {
  readonly #enqueue = new Set<Enqueue>()

  wake(key: string): void {
    for (const enqueue of this.#enqueue) enqueue(key)
  }

  source(name: string): Source {
    return {
      name,
      start: (enqueue) => {
        this.#enqueue.add(enqueue)
        return { hasSynced: () => true, remove: () => this.#enqueue.delete(enqueue) }
      },
    }
  }
}
