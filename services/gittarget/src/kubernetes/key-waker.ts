import type { Enqueue, Source } from '@agents/controller'

/** Lets one part of the process say that another should look at an object. */
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
