import type { ResourceCache } from '@agents/controller'
import type { Labels, Namespace } from '@agents/kube'

/** More namespaces than are deleted while watches are reconnected; their labels take a few megabytes at most. */
const maxCount = 10_000

/**
 * The last labels of deleted namespaces. The deletions of the objects in them may be reported later, because each watch
 * reconnects on its own: without the labels, no rule would have selected these objects.
 */
export class DeletedNamespaces {
  readonly #labels = new Map<string, Labels>()

  constructor(namespaces: Pick<ResourceCache<Namespace>, 'subscribe'>) {
    namespaces.subscribe({
      onAdd: ({ metadata }) => void this.#labels.delete(metadata.name),
      onUpdate: () => undefined,
      onDelete: ({ metadata }) => this.#add(metadata.name, metadata.labels ?? {}),
    })
  }

  /** Undefined if the namespace exists, never existed, or was deleted long ago. */
  labelsOf(namespace: string): Labels | undefined {
    return this.#labels.get(namespace)
  }

  #add(namespace: string, labels: Labels): void {
    this.#labels.delete(namespace)
    this.#labels.set(namespace, labels)
    if (this.#labels.size <= maxCount) return
    const [oldest] = this.#labels.keys()
    if (oldest !== undefined) this.#labels.delete(oldest)
  }
}
