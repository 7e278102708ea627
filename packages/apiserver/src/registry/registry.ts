import type { Resource } from './resource.ts'

/** The served resources. Changes take effect with the next request. */
export interface Registry {
  find(group: string, version: string, plural: string): Resource | undefined
  /** Sorted by group, then in the order of declaration. */
  all(): readonly Resource[]
  /** Replaces the resources of an owner (the name of a CRD, or `builtin`). An empty list removes them. */
  replace(owner: string, resources: readonly Resource[]): void
  /** Reports that properties of the resources have changed, so that derived data is recomputed. */
  refresh(): void
  /**
   * Calls a listener after each change with the resources that are no longer served in that form. Returns the
   * unsubscribe.
   */
  onChange(listener: (gone: readonly Resource[]) => void): () => void
  /** Number of changes, by which caches of derived data are invalidated. */
  readonly generation: number
}

export function createRegistry(): Registry {
  const owners = new Map<string, readonly Resource[]>()
  const index = new Map<string, Resource>()
  const listeners = new Set<(gone: readonly Resource[]) => void>()
  let generation = 0
  let sorted: readonly Resource[] | undefined

  return {
    find: (group, version, plural) => index.get(`${group}/${version}/${plural}`),
    all: () => {
      sorted ??= [...owners.values()].flat().sort((a, b) => compare(a.group, b.group))
      return sorted
    },
    replace: (owner, resources) => {
      const gone = owners.get(owner) ?? []
      if (gone.length === 0 && resources.length === 0) return
      for (const resource of gone) index.delete(indexKey(resource))
      if (resources.length === 0) owners.delete(owner)
      else owners.set(owner, resources)
      for (const resource of resources) index.set(indexKey(resource), resource)
      sorted = undefined
      generation++
      for (const listener of listeners) listener(gone)
    },
    refresh: () => {
      generation++
      for (const listener of listeners) listener([])
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get generation() {
      return generation
    },
  }
}

function indexKey({ group, version, plural }: Resource): string {
  return `${group}/${version}/${plural}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
