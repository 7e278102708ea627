import type { GaugeOptions, Metrics } from '@agents/controller'
import type { GitTarget } from '@agents/gittarget-api'
import { parseKey } from '@agents/kube'
import type { MirrorState, StreamReport } from '../mirror/mirror-state.ts'
import type { Mirrors } from '../mirror/mirrors.ts'
import type { StreamPool } from '../mirror/stream-pool.ts'

export interface MeasuredWorld {
  readonly mirrors: Pick<Mirrors, 'states'>
  readonly pool: Pick<StreamPool, 'size'>
  readonly caches: { readonly gitTargets: { list(): readonly GitTarget[] } }
}

/** What an alert would be about: targets that are not ready, changes that wait, pushes that have not happened, streams that are not live. */
export function addMirrorMetrics(
  metrics: Pick<Metrics, 'gauge'>,
  { mirrors, pool, caches }: MeasuredWorld,
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
      'Changes of the cluster that have not been pushed yet.',
      ({ waiting }) => waiting,
    ),
  )
  metrics.gauge(
    perTarget(
      'gittarget_last_push_timestamp_seconds',
      'When this process last pushed for the target.',
      ({ push }) => push.lastPushTime && push.lastPushTime.getTime() / 1000,
    ),
  )
  metrics.gauge(
    perTarget(
      'gittarget_in_sync',
      'Whether cluster and path agreed when they were last compared, and nothing has gone wrong since.',
      ({ snapshot }) => (snapshot.kind === 'completed' ? 1 : 0),
    ),
  )
  metrics.gauge(streamGauge(mirrors))
  metrics.gauge({
    name: 'gittarget_ready',
    help: 'Whether a target is Ready, as its status says; also of those that have no mirror.',
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
    help: 'Streams that are open, shared by all targets.',
    labelNames: [],
    read: () => [{ labels: {}, value: pool.size }],
  })
}

const KINDS: readonly StreamReport['state']['kind'][] = [
  'listing',
  'live',
  'forbidden',
  'missing',
  'disconnected',
]

function streamGauge(mirrors: Pick<Mirrors, 'states'>): GaugeOptions {
  return {
    name: 'gittarget_streams',
    help: 'Streams that the rules of a target ask for, by how they are.',
    labelNames: ['namespace', 'name', 'state'],
    *read() {
      for (const [key, { streams, missing }] of mirrors.states()) {
        for (const kind of KINDS) {
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
