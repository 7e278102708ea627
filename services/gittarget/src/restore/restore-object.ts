import { setTimeout as sleep } from 'node:timers/promises'
import { isNotFound, type KubeClient } from '@agents/kube'
import { kindRefOf, typeName } from '../mirror/selection/resource-type.ts'
import { applyOptions, type PlannedObject, reasonOf } from './plan-restore.ts'

interface RestoreOptions {
  readonly client: KubeClient
  readonly forceConflicts: boolean
  readonly signal: AbortSignal
}

type Restored = 'created' | 'changed' | { readonly reason: string }

/** How long the server may need until it serves a kind whose definition was just restored. */
const patienceMs = 30_000
const pollMs = 200

/** Applies planned objects, one after the other in their order. */
export class Restorer {
  readonly #options: RestoreOptions
  /** When waiting for a new kind ends. */
  readonly #deadlines = new Map<string, number>()

  constructor(options: RestoreOptions) {
    this.#options = options
  }

  /** What became of the object, or why the server refused it. Throws only if the server cannot be used at all. */
  async restore({ action, applied }: PlannedObject): Promise<Restored> {
    const { client, forceConflicts, signal } = this.#options
    if (applied === undefined) throw new TypeError('an object that cannot be restored was applied')
    const { kind, object } = applied
    for (;;) {
      try {
        const options = applyOptions(forceConflicts, signal)
        await client.apply(kindRefOf(kind), object as never, options)
        return action === 'create' ? 'created' : 'changed'
      } catch (error) {
        const reason = reasonOf(error, object, signal)
        const isEarly = !kind.isServed && isNotFound(error) && this.#isInTime(typeName(kind))
        if (!isEarly) return { reason }
        await sleep(pollMs, undefined, { signal })
      }
    }
  }

  #isInTime(kind: string): boolean {
    const now = performance.now()
    const deadline = this.#deadlines.get(kind) ?? now + patienceMs
    this.#deadlines.set(kind, deadline)
    return now < deadline
  }
}
