import type { RequestInfo } from '../request/request-info.ts'

const buckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
]

/** Counts and times requests, and formats the metrics as Prometheus text. */
export interface RequestMetrics {
  /** `info` must be about a resource that is served or a plain path, so that clients cannot create labels. */
  record(info: RequestInfo, code: number, seconds: number, dryRun: boolean): void
  /** The lines of `apiserver_request_total` and `apiserver_request_duration_seconds`. */
  write(): string
}

interface Histogram {
  readonly counts: number[]
  sum: number
  total: number
}

export function createRequestMetrics(): RequestMetrics {
  const totals = new Map<string, number>()
  const durations = new Map<string, Histogram>()
  return {
    record: (info, code, seconds, dryRun) => {
      const where = labelsOf(info)
      const key = `code="${code}",dry_run="${dryRun ? 'All' : ''}",${where}`
      totals.set(key, (totals.get(key) ?? 0) + 1)
      // The duration of a watch does not show how fast the server is.
      if (info.verb === 'watch') return
      let histogram = durations.get(where)
      if (histogram === undefined) {
        histogram = { counts: buckets.map(() => 0), sum: 0, total: 0 }
        durations.set(where, histogram)
      }
      const at = buckets.findIndex((bound) => seconds <= bound)
      if (at >= 0) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1
      histogram.sum += seconds
      histogram.total++
    },
    write: () => writeTotals(totals) + writeDurations(durations),
  }
}

function labelsOf(info: RequestInfo): string {
  const scope = !info.isResource
    ? ''
    : info.name !== '' && info.verb !== 'list' && info.verb !== 'watch'
      ? 'resource'
      : info.namespace === ''
        ? 'cluster'
        : 'namespace'
  const verb = info.verb.toUpperCase()
  return `component="apiserver",group="${label(info.group)}",resource="${label(info.resource)}",scope="${scope}",subresource="${label(info.subresource)}",verb="${label(verb)}",version="${label(info.version)}"`
}

/** Replaces paths that would break the format or create many series, since they come from clients. */
function label(text: string): string {
  return /^[\w.-]{0,128}$/.test(text) ? text : 'other'
}

function writeTotals(totals: ReadonlyMap<string, number>): string {
  const lines = [
    '# HELP apiserver_request_total Requests by verb, resource and HTTP code.',
    '# TYPE apiserver_request_total counter',
  ]
  for (const [labels, count] of totals) lines.push(`apiserver_request_total{${labels}} ${count}`)
  return `${lines.join('\n')}\n`
}

function writeDurations(durations: ReadonlyMap<string, Histogram>): string {
  const name = 'apiserver_request_duration_seconds'
  const lines = [`# HELP ${name} How long requests took.`, `# TYPE ${name} histogram`]
  for (const [labels, { counts, sum, total }] of durations) {
    let below = 0
    for (const [index, bound] of buckets.entries()) {
      below += counts[index] ?? 0
      lines.push(`${name}_bucket{${labels},le="${bound}"} ${below}`)
    }
    lines.push(`${name}_bucket{${labels},le="+Inf"} ${total}`)
    lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`)
  }
  return `${lines.join('\n')}\n`
}
