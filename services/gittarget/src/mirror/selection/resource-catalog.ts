import type { ChangeSource, Clock, Source, Subscription } from '@agents/controller'
import type { CustomResourceDefinition, KubeClient, ServedResource } from '@agents/kube'
import type { Logger } from '@agents/log'

interface ResourceCatalogOptions {
  readonly discovery: KubeClient['discovery']
  readonly definitions: Pick<ChangeSource<CustomResourceDefinition>, 'subscribe'>
  readonly clock: Clock
  readonly log: Logger
}

/** Types appear in discovery shortly after their definition, on a busy server later. */
const afterChangeMs = [100, 1_000, 5_000]
/** Types of aggregated servers appear and disappear without a definition. */
const whileMissingMs = 30_000
const afterFailureMs = 5_000

/**
 * The resources that the server serves. Discovery is repeated when a definition changes and while a resource is
 * missing.
 */
export class ResourceCatalog {
  readonly #options: ResourceCatalogOptions
  readonly #listeners = new Set<() => void>()
  readonly #timers = new Set<() => void>()
  #served: readonly ServedResource[] | undefined
  #subscription: Subscription | undefined
  #watchesMissing = false
  #stopped = false

  constructor(options: ResourceCatalogOptions) {
    this.#options = options
  }

  /** Undefined until the first discovery. */
  get served(): readonly ServedResource[] | undefined {
    return this.#served
  }

  start(): void {
    const changed = (): void => {
      for (const delay of afterChangeMs) this.#later(delay)
    }
    this.#subscription = this.#options.definitions.subscribe({
      onAdd: (_definition, isInInitialList) => {
        if (!isInInitialList) changed()
      },
      onUpdate: changed,
      onDelete: changed,
    })
    void this.#refresh()
  }

  stop(): void {
    this.#stopped = true
    this.#subscription?.remove()
    for (const cancel of this.#timers) cancel()
    this.#listeners.clear()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** To be called if a rule selects a resource that is not served: discovery is repeated after a while. */
  miss(): void {
    if (this.#watchesMissing) return
    this.#watchesMissing = true
    this.#later(whileMissingMs, () => {
      this.#watchesMissing = false
    })
  }

  /** Requeues these objects when the catalog changes. */
  source(name: string, keys: () => Iterable<string>): Source {
    return {
      name,
      start: (enqueue) => {
        const remove = this.onChange(() => {
          for (const key of keys()) enqueue(key)
        })
        return { hasSynced: () => this.#served !== undefined, remove }
      },
    }
  }

  #later(delay: number, before?: () => void): void {
    const cancel = this.#options.clock.after(delay, () => {
      this.#timers.delete(cancel)
      before?.()
      void this.#refresh()
    })
    this.#timers.add(cancel)
  }

  async #refresh(): Promise<void> {
    if (this.#stopped) return
    const { discovery, log } = this.#options
    discovery.invalidate()
    try {
      const served = await discovery.resources()
      const isNew = JSON.stringify(served) !== JSON.stringify(this.#served)
      this.#served = served
      if (isNew) for (const listener of [...this.#listeners]) listener()
    } catch (error) {
      if (this.#stopped) return
      log.warn('API discovery failed', { error })
      this.#later(afterFailureMs)
    }
  }
}
