import { pass, wait } from '@agents/controller'
import type { GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { MirrorState } from '../../mirror/mirror-state.ts'
import type { StreamReport } from '../../mirror/stream/watched-streams.ts'
import type { GitTargetPorts, TargetDetail, TargetGate } from '../target-ports.ts'

/** Listing the existing objects takes less time for most types. */
const graceMs = 5_000
/** Changes requeue the target; this interval covers missed ones. */
const retryMs = 300_000

export function eventStreamLive({ mirrors }: GitTargetPorts): TargetGate<'EventStreamLive'> {
  return {
    condition: 'EventStreamLive',
    async check(target, _detail, { now, signal }) {
      const key = formatKey(target.metadata)
      const isListed = (known?: MirrorState): boolean =>
        known === undefined || known.streams.every(({ state }) => state.kind !== 'listing')
      const state = await mirrors.until(key, isListed, graceMs, signal)
      if (state === undefined) return wait('Disconnected', 'the mirror has stopped', retryMs)
      const detail = streamDetail(target, state, now)
      const blocked = [...state.streams, ...state.missing].filter(isBlocked)
      const [first] = blocked
      if (first !== undefined) {
        const reason = blocked.every(({ state: { kind } }) => kind === 'disconnected')
          ? 'Disconnected'
          : 'RegistrationFailed'
        const more = blocked.length > 1 ? ` (and ${blocked.length - 1} more)` : ''
        return wait(reason, `${messageOf(first)}${more}`, retryMs, { detail })
      }
      if (!isListed(state)) {
        return wait(
          'RegistrationFailed',
          'a watch stream is still listing existing objects',
          retryMs,
          {
            detail,
          },
        )
      }
      const { length } = state.streams
      const message =
        length === 0 ? 'no rule selects any resource yet' : `${streamCount(length)} live`
      return pass('Registered', message, { detail })
    },
    blockedDetail: (target) => {
      const state = mirrors.state(formatKey(target.metadata))
      const { stream } = target.status ?? {}
      if (state === undefined) return { stream: { ...stream, status: 'Blocked' } }
      return { stream: { ...stream, ...counts(state), status: 'Registering' } }
    },
  }
}

function isBlocked({ state: { kind } }: StreamReport): boolean {
  return kind === 'forbidden' || kind === 'missing' || kind === 'disconnected'
}

function messageOf({ state }: StreamReport): string {
  return 'message' in state ? state.message : ''
}

function streamCount(count: number): string {
  return count === 1 ? '1 watch stream is' : `${count} watch streams are`
}

function counts({ streams, missing }: MirrorState) {
  return {
    total: streams.length + missing.length,
    live: streams.filter(({ state }) => state.kind === 'live').length,
  }
}

/** A restart of the operator opens the same streams again, and does not change when the target got them. */
function registeredAt(
  { status: previous }: GitTarget,
  { status, total, now }: { status: StreamStatus; total: number; now: Date },
): string | undefined {
  if (status === 'Disconnected' || status === 'Blocked') return undefined
  const { stream } = previous ?? {}
  const known = stream?.total === total ? stream.registeredTime : undefined
  return known ?? (status === 'Live' ? rfc3339(now) : undefined)
}

type StreamStatus = NonNullable<NonNullable<GitTarget['status']>['stream']>['status']

function streamDetail(target: GitTarget, state: MirrorState, now: Date): Partial<TargetDetail> {
  const previous = target.status?.stream
  const { total, live } = counts(state)
  const kinds = [...state.streams, ...state.missing].map((report) => report.state.kind)
  const status: StreamStatus =
    live === total
      ? 'Live'
      : kinds.some((kind) => kind === 'forbidden' || kind === 'missing')
        ? 'Blocked'
        : kinds.includes('disconnected')
          ? 'Disconnected'
          : 'Registering'
  const registeredTime = registeredAt(target, { status, total, now })
  const lastEventTime = state.lastEventTime ? rfc3339(state.lastEventTime) : previous?.lastEventTime
  return {
    stream: {
      status,
      total,
      live,
      ...(registeredTime !== undefined && { registeredTime }),
      ...(lastEventTime !== undefined && { lastEventTime }),
    },
  }
}
