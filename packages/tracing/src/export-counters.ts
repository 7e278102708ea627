import type { ExportCounts } from './export/batch-exporter.ts'
import type { Tracing } from './open-tracing.ts'

/** A Prometheus counter that is read when it is scraped. */
interface ExportCounter {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  read(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }>
}

/** The counters of sent and dropped spans; empty if tracing is off. */
export function exportCounters(tracing: Tracing): readonly ExportCounter[] {
  const counts = (): ExportCounts | undefined => tracing.counts()
  if (counts() === undefined) return []
  return [
    {
      name: 'agents_tracing_spans_sent_total',
      help: 'Spans that the collector accepted.',
      labelNames: [],
      read: () => [{ labels: {}, value: counts()?.sent ?? 0 }],
    },
    {
      name: 'agents_tracing_spans_dropped_total',
      help: 'Spans that were dropped: the queue was full, or the collector did not respond or rejected them.',
      labelNames: ['reason'],
      read: () =>
        Object.entries(counts()?.dropped ?? {}).map(([reason, value]) => ({
          labels: { reason },
          value,
        })),
    },
  ]
}
