import type { KubeObject } from '@agents/kube'
import { age, isUnset } from '../age.ts'
import { column, printer, wideColumn } from '../printer.ts'

type Timestamp = string | null

interface ObjectReference {
  kind?: string
  name?: string
  fieldPath?: string
}

interface EventSource {
  component?: string
  host?: string
}

/** An event of the core group or of events.k8s.io, which has other names for the same fields. */
interface Event extends KubeObject {
  type?: string
  reason?: string
  eventTime?: Timestamp
  series?: { count?: number; lastObservedTime?: Timestamp } | null
  reportingInstance?: string

  involvedObject?: ObjectReference
  source?: EventSource
  message?: string
  count?: number
  firstTimestamp?: Timestamp
  lastTimestamp?: Timestamp
  reportingComponent?: string

  regarding?: ObjectReference
  note?: string
  deprecatedSource?: EventSource
  deprecatedCount?: number
  deprecatedFirstTimestamp?: Timestamp
  deprecatedLastTimestamp?: Timestamp
  reportingController?: string
}

export const eventPrinter = printer<Event>(
  [
    column('Last Seen'),
    column('Type'),
    column('Reason'),
    column('Object'),
    wideColumn('Subobject'),
    wideColumn('Source'),
    column('Message'),
    wideColumn('First Seen'),
    wideColumn('Count'),
    column('Name', { format: 'name', priority: 1 }),
  ],
  (event, now) => {
    const about = event.involvedObject ?? event.regarding
    const kind = (about?.kind ?? '').toLowerCase()
    const first = firstNonEmpty(event.firstTimestamp, event.deprecatedFirstTimestamp)
    const firstSeen = age(first || event.eventTime, now)
    return [
      lastSeen(event, firstSeen, now),
      event.type ?? '',
      event.reason ?? '',
      about?.name ? `${kind}/${about.name}` : kind,
      about?.fieldPath ?? '',
      source(event),
      (event.message ?? event.note ?? '').trim(),
      firstSeen,
      count(event),
      event.metadata.name,
    ]
  },
)

function lastSeen(event: Event, firstSeen: string, now: Date): string {
  if (event.series) return age(event.series.lastObservedTime, now)
  const last = firstNonEmpty(event.lastTimestamp, event.deprecatedLastTimestamp)
  return isUnset(last) ? firstSeen : age(last, now)
}

function count({ series, count: given, deprecatedCount }: Event): number {
  return series ? (series.count ?? 0) : given || deprecatedCount || 1
}

function source(event: Event): string {
  const { component, host } = event.source ?? event.deprecatedSource ?? {}
  const who = firstNonEmpty(component, event.reportingComponent, event.reportingController)
  const where = firstNonEmpty(host, event.reportingInstance)
  return where === '' ? who : `${who}, ${where}`
}

function firstNonEmpty(...texts: readonly (string | null | undefined)[]): string {
  return texts.find((text) => !isUnset(text)) ?? ''
}
