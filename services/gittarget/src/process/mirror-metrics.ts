import type { GaugeOptions, Metrics } from '@agents/controller'
import type { GitTarget } from '@agents/gittarget-api'
import { parseKey } from '@agents/kube'
import type { MirrorState } from '../mirror/mirror-state.ts'
import type { Mirrors } from '../mirror/mirrors.ts'
import type { StreamPool } from '../mirror/stream/stream-pool.ts'
import type { StreamReport } from '../mirror/stream/watched-streams.ts'

interface MeasuredComponents {
  readonly mirrors: Pick<Mirrors, 'states'>
  readonly pool: Pick<StreamPool, 'size'>
  readonly caches: { readonly gitTargets: { list(): readonly GitTarget[] } }
}

/** Metrics for alerts: targets that are not ready, pending changes, missing pushes, and streams that are not live. */
export function addMirrorMetrics(
  metrics: Pick<Metrics, 'gauge'>,
  { mirrors, pool, caches }: MeasuredComponents,
): void {
  const perTarget = (
    name: string,
    help: string,
    measure: (state: MirrorState) => number | undefined,
  ): GaugeOptions => ({
    name,
    help,
    labelNames: ['namespace', 'name'],
    *read() {
      for (const [key, state] of mirrors.states()) {
        const value = measure(state)
        if (value !== undefined) yield { labels: labelsOf(key), value }
      }
    },
  })
  metrics.gauge(
    perTarget(
      'gittarget_pending_changes',
      'Changed objects that have not been pushed yet.',
      ({ waiting }) => waiting,
    ),
  )
  metrics.gauge(
    perTarget(
      'gittarget_retained_files',
      'Files of objects that do not exist or that no rule selects, which prune keeps.',
      ({ retainedFiles }) => retainedFiles,
    ),
  )
  metrics.gauge(
    perTarget(
      'gittarget_drifted_files',
      'Files that were changed or deleted in Git and are not restored yet.',
      ({ driftedFiles }) => driftedFiles,
    ),
  )
  metrics.gauge(
    perTarget(
      'gittarget_last_push_timestamp_seconds',
      'Time of the last push for the target by this process.',
      ({ push }) => push.lastPushTime && push.lastPushTime.getTime() / 1000,
    ),
  )
  metrics.gauge(
    perTarget(
      'gittarget_in_sync',
      'Whether cluster and path were in sync when last compared, and nothing has failed since.',
      ({ snapshot }) => (snapshot.kind === 'completed' ? 1 : 0),
    ),
  )
  metrics.gauge(streamGauge(mirrors))
  metrics.gauge({
    name: 'gittarget_ready',
    help: 'Whether the Ready condition of a target is True, also for targets without a mirror.',
    labelNames: ['namespace', 'name'],
    *read() {
      for (const { metadata, status } of caches.gitTargets.list()) {
        const { namespace = '', name } = metadata
        const ready = status?.conditions?.find(({ type }) => type === 'Ready')
        yield { labels: { namespace, name }, value: ready?.status === 'True' ? 1 : 0 }
      }
    },
  })
  metrics.gauge({
    name: 'gittarget_watches',
    help: 'Open watch streams, shared by all targets.',
    labelNames: [],
    read: () => [{ labels: {}, value: pool.size }],
  })
}

const kinds: readonly StreamReport['state']['kind'][] = [
  'listing',
  'live',
  'forbidden',
  'missing',
  'disconnected',
]

function streamGauge(mirrors: Pick<Mirrors, 'states'>): GaugeOptions {
  return {
    name: 'gittarget_streams',
    help: 'Watch streams that the rules of a target require, by state.',
    labelNames: ['namespace', 'name', 'state'],
    *read() {
      for (const [key, { streams, missing }] of mirrors.states()) {
        for (const kind of kinds) {
          const value = [...streams, ...missing].filter(({ state }) => state.kind === kind).length
          yield { labels: { ...labelsOf(key), state: kind }, value }
        }
      }
    },
  }
}

function labelsOf(key: string): { namespace: string; name: string } {
  const { namespace = '', name } = parseKey(key)
  return { namespace, name }
}
