import type { Resource } from '../registry/resource.ts'

interface OpenWatch {
  readonly resource: Resource
  end(): void
}

/** The watches being served, so that they can be ended when the server stops or their resource changes. */
export interface WatchSet {
  add(watch: OpenWatch): void
  remove(watch: OpenWatch): void
  endAll(): void
  /** Of resources that are no longer served in this form. */
  endOf(resources: readonly Resource[]): void
  /** How many there are, by resource. */
  counts(): ReadonlyMap<Resource, number>
  /** What `make` made for this event: events reach their watchers one after the other, so the last one is kept. */
  shared(type: string, shown: object, make: () => Buffer): Buffer
}

export function createWatchSet(): WatchSet {
  const open = new Set<OpenWatch>()
  let last: { type: string; shown: object; bytes: Buffer } | undefined
  return {
    add: (watch) => open.add(watch),
    remove: (watch) => open.delete(watch),
    endAll: () => {
      for (const watch of [...open]) watch.end()
    },
    endOf: (resources) => {
      for (const watch of [...open]) if (resources.includes(watch.resource)) watch.end()
    },
    counts: () => {
      const counts = new Map<Resource, number>()
      for (const { resource } of open) counts.set(resource, (counts.get(resource) ?? 0) + 1)
      return counts
    },
    shared: (type, shown, make) => {
      if (last?.type !== type || last.shown !== shown) last = { type, shown, bytes: make() }
      return last.bytes
    },
  }
}
