import type { KubeClient } from '../client/kube-client.ts'
import type { View } from '../client/list-options.ts'
import type { KindRef } from '../kind/kind-ref.ts'
import type { KubeObject } from '../object.ts'
import type { InformerHandler, Registration } from './handlers.ts'
import type { Indexer } from './indexes.ts'
import { createInformer, type Informer, type InformerOptions } from './informer.ts'
import type { WaitOptions } from './waiters.ts'

/** Shared informers: one watch per kind and scope, for any number of users. */
export interface Informers {
  /** Starts the informer if it does not run yet. */
  acquire<T extends KubeObject>(kind: KindRef<T>, options?: SharedOptions<T>): InformerLease<T>
  /** Resolves when all informers in use have synced. */
  waitForSync(options?: WaitOptions): Promise<void>
  /** The informers in use. */
  all(): Informer<KubeObject>[]
  /** Stops all informers, including those in use. */
  stop(): Promise<void>
}

interface SharedOptions<T extends KubeObject> extends View {
  readonly indexers?: Readonly<Record<string, Indexer<T>>> | undefined
  /** Must be the same for all users of an informer, because they share its store. */
  readonly transform?: ((object: T) => T) | undefined
}

export interface InformerLease<T extends KubeObject> {
  readonly informer: Omit<Informer<T>, 'start' | 'stop' | 'addHandler'>
  /** Removed on release. */
  addHandler(handler: InformerHandler<T>): Registration
  /** The last release stops the watch. Idempotent. */
  release(): Promise<void>
}

type InformerDefaults = Omit<
  InformerOptions<KubeObject>,
  'client' | 'kind' | 'transform' | 'indexers' | keyof View
>

interface Shared {
  readonly informer: Informer<KubeObject>
  readonly transform: unknown
  readonly fields: unknown
  holders: number
}

export function createInformers(client: KubeClient, defaults: InformerDefaults = {}): Informers {
  const shared = new Map<string, Shared>()

  const hold = <T extends KubeObject>(kind: KindRef<T>, options: SharedOptions<T>): Shared => {
    const key = keyOf(kind, options)
    const known = shared.get(key)
    if (known !== undefined) {
      if (known.transform !== options.transform || known.fields !== options.fields) {
        throw new TypeError(
          `${kind.plural}: the holders of an informer must share its transform and its fields`,
        )
      }
      return known
    }
    const informer = createInformer({ ...defaults, ...options, client, kind })
    const entry = {
      informer: informer as unknown as Informer<KubeObject>,
      transform: options.transform,
      fields: options.fields,
      holders: 0,
    }
    shared.set(key, entry)
    informer.start()
    return entry
  }
  return {
    acquire: <T extends KubeObject>(
      kind: KindRef<T>,
      options: SharedOptions<T> = {},
    ): InformerLease<T> => {
      const entry = hold(kind, options)
      const informer = entry.informer as unknown as Informer<T>
      if (options.indexers !== undefined) informer.addIndexers(options.indexers)
      entry.holders++
      const registrations: Registration[] = []
      let released = false
      return {
        informer,
        addHandler: (handler) => {
          const registration = informer.addHandler(handler)
          registrations.push(registration)
          return registration
        },
        release: async () => {
          if (released) return
          released = true
          for (const registration of registrations) registration.remove()
          entry.holders--
          if (entry.holders > 0) return
          shared.delete(keyOf(kind, options))
          await informer.stop()
        },
      }
    },
    waitForSync: async (options) => {
      await Promise.all([...shared.values()].map(({ informer }) => informer.waitForSync(options)))
    },
    all: () => [...shared.values()].map(({ informer }) => informer),
    stop: async () => {
      const ending = [...shared.values()].map(({ informer }) => informer.stop())
      shared.clear()
      await Promise.all(ending)
    },
  }
}

function keyOf(kind: KindRef, view: View): string {
  const { group, version, plural } = kind
  const { namespace, labelSelector, fieldSelector, metadataOnly = false } = view
  const scope = [namespace, labelSelector, fieldSelector]
  return JSON.stringify([group, version, plural, ...scope, metadataOnly])
}
