import type { ExportCounts } from './export/batch-exporter.ts'
import type { Tracing } from './open-tracing.ts'

/** A counter of Prometheus that is read when it is asked for. */
export interface ExportCounter {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  read(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }>
}

/** What was sent and what was not; no counters where traces are off. */
export function exportCounters(tracing: Tracing): readonly ExportCounter[] {
  const counts = (): ExportCounts | undefined => tracing.counts()
  if (counts() === undefined) return []
  return [
    {
      name: 'agents_tracing_spans_sent_total',
      help: 'Spans that the collector has taken.',
      labelNames: [],
      read: () => [{ labels: {}, value: counts()?.sent ?? 0 }],
    },
    {
      name: 'agents_tracing_spans_dropped_total',
      help: 'Spans that nobody will see: there was no room for them, the collector did not answer, or it refused them.',
      labelNames: ['reason'],
      read: () =>
        Object.entries(counts()?.dropped ?? {}).map(([reason, value]) => ({
          labels: { reason },
          value,
        })),
    },
  ]
}
