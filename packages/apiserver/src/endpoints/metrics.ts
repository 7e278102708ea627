import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import type { Store } from '../store/store.ts'
import { type PlainHandler, textResponse } from './plain-handler.ts'
import type { RequestMetrics } from './request-metrics.ts'
import type { WatchSet } from './watch-set.ts'

/** Serves `/metrics`: requests, stored objects, open watches and the process. */
export function createMetricsHandler(
  requests: RequestMetrics,
  registry: Registry,
  store: Store,
  watches: WatchSet,
): PlainHandler {
  return ({ path, method }) => {
    if (path !== '/metrics' || method !== 'GET') return undefined
    const body = [
      requests.write(),
      family(
        'apiserver_storage_objects',
        'Stored objects by resource.',
        storedObjects(registry, store),
      ),
      family('apiserver_longrunning_requests', 'Open watches by resource.', openWatches(watches)),
      family('apiserver_storage_revision', 'Last committed revision.', [['', store.revision]]),
      family('process_resident_memory_bytes', 'Resident memory.', [
        ['', process.memoryUsage.rss()],
      ]),
      family('process_start_time_seconds', 'Start of the process, Unix time.', [
        ['', Math.round((Date.now() - performance.now()) / 1000)],
      ]),
    ].join('')
    return { ...textResponse(200, body), contentType: 'text/plain; version=0.0.4; charset=utf-8' }
  }
}

type Sample = readonly [labels: string, value: number]

function family(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) =>
    labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('\n')}\n`
}

function storedObjects(registry: Registry, store: Store): Sample[] {
  const counts = new Map<string, number>()
  for (const resource of registry.all()) {
    if (resource.createVirtual !== undefined) continue
    // Reads one entry, since the store counts the remaining ones.
    const { entries, remaining = 0 } = store.list(resource.storagePrefix, { limit: 1 })
    counts.set(resourceLabels(resource), entries.length + remaining)
  }
  return [...counts]
}

function openWatches(watches: WatchSet): Sample[] {
  return [...watches.counts()].map(([resource, count]) => [
    `verb="WATCH",version="${resource.version}",${resourceLabels(resource)}`,
    count,
  ])
}

function resourceLabels({ group, plural }: Resource): string {
  return `group="${group}",resource="${plural}"`
}
