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
  /** Ends the watches of resources that are no longer served in this form. */
  endOf(resources: readonly Resource[]): void
  /** Number of watches by resource. */
  counts(): ReadonlyMap<Resource, number>
  /** Caches the result of `make` for the last event, since an event is sent to all its watchers before the next one. */
  shared(type: string, payload: object, make: () => Buffer): Buffer
}

export function createWatchSet(): WatchSet {
  const open = new Set<OpenWatch>()
  let last: { type: string; payload: object; bytes: Buffer } | undefined
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
    shared: (type, payload, make) => {
      if (last?.type !== type || last.payload !== payload) last = { type, payload, bytes: make() }
      return last.bytes
    },
  }
}
