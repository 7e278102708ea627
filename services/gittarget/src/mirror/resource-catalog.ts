import type { ChangeSource, Clock, Source, Subscription } from '@agents/controller'
import type { CustomResourceDefinition, KubeClient, ServedResource } from '@agents/kube'
import type { Logger } from '@agents/log'

export interface ResourceCatalogOptions {
  readonly discovery: KubeClient['discovery']
  readonly definitions: Pick<ChangeSource<CustomResourceDefinition>, 'subscribe'>
  readonly clock: Clock
  readonly log: Logger
}

/** Types appear in discovery a little after their definition does, on a busy server a little later. */
const AFTER_CHANGE_MS = [100, 1_000, 5_000]
/** Types of aggregated servers come and go without a definition. */
const WHILE_MISSING_MS = 30_000
const AFTER_FAILURE_MS = 5_000

/** What the server serves, asked again when a definition changes and while something is missing. */
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

  /** Undefined until the server has been asked for the first time. */
  get served(): readonly ServedResource[] | undefined {
    return this.#served
  }

  start(): void {
    const changed = (): void => {
      for (const delay of AFTER_CHANGE_MS) this.#later(delay)
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

  /** Somebody asks for what is not served: looks again in a while, by itself. */
  miss(): void {
    if (this.#watchesMissing) return
    this.#watchesMissing = true
    this.#later(WHILE_MISSING_MS, () => {
      this.#watchesMissing = false
    })
  }

  /** Looks at all these objects whenever the catalog changes. */
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
      log.warn('the server does not say what it serves', { error })
      this.#later(AFTER_FAILURE_MS)
    }
  }
}
