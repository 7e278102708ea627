import { pass, wait } from '@agents/controller'
import type { GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { MirrorState, StreamReport } from '../mirror/mirror-state.ts'
import type { GitTargetPorts, TargetDetail, TargetGate } from './target-ports.ts'

/** Reading what exists takes no longer than this for most types. */
const PATIENCE_MS = 5_000
/** News wakes the target; this is for what was missed all the same. */
const RETRY_MS = 300_000

export const eventStreamLive = ({ mirrors }: GitTargetPorts): TargetGate<'EventStreamLive'> => ({
  condition: 'EventStreamLive',
  async check(target, _detail, { now, signal }) {
    const key = formatKey(target.metadata)
    const isListed = (known?: MirrorState): boolean =>
      known === undefined || known.streams.every(({ state }) => state.kind !== 'listing')
    const state = await mirrors.until(key, isListed, PATIENCE_MS, signal)
    if (state === undefined) return wait('Disconnected', 'the mirror has ended', RETRY_MS)
    const detail = streamDetail(target, state, now)
    const blocked = [...state.streams, ...state.missing].filter(isBlocked)
    const [first] = blocked
    if (first !== undefined) {
      const reason = blocked.every(({ state: { kind } }) => kind === 'disconnected')
        ? 'Disconnected'
        : 'RegistrationFailed'
      const more = blocked.length > 1 ? ` (and ${blocked.length - 1} more)` : ''
      return wait(reason, `${messageOf(first)}${more}`, RETRY_MS, { detail })
    }
    if (!isListed(state)) {
      return wait('RegistrationFailed', 'a stream is still reading what exists', RETRY_MS, {
        detail,
      })
    }
    const { length } = state.streams
    const message = length === 0 ? 'no rule asks for anything yet' : `${streamCount(length)} live`
    return pass('Registered', message, { detail })
  },
  unasked: (target) => {
    const state = mirrors.state(formatKey(target.metadata))
    const { stream } = target.status ?? {}
    if (state === undefined) return { stream: { ...stream, status: 'Blocked' } }
    return { stream: { ...stream, ...counts(state), status: 'Registering' } }
  },
})

const isBlocked = ({ state: { kind } }: StreamReport): boolean =>
  kind === 'forbidden' || kind === 'missing' || kind === 'disconnected'

const messageOf = ({ state }: StreamReport): string => ('message' in state ? state.message : '')

const streamCount = (count: number): string =>
  count === 1 ? 'one stream is' : `${count} streams are`

const counts = ({ streams, missing }: MirrorState) => ({
  total: streams.length + missing.length,
  live: streams.filter(({ state }) => state.kind === 'live').length,
})

const streamDetail = (target: GitTarget, state: MirrorState, now: Date): Partial<TargetDetail> => {
  const previous = target.status?.stream
  const { total, live } = counts(state)
  const kinds = [...state.streams, ...state.missing].map((report) => report.state.kind)
  const status =
    live === total
      ? 'Live'
      : kinds.some((kind) => kind === 'forbidden' || kind === 'missing')
        ? 'Blocked'
        : kinds.includes('disconnected')
          ? 'Disconnected'
          : 'Registering'
  const wasLive = previous?.status === 'Live' && previous.total === total
  const registeredTime = wasLive
    ? previous.registeredTime
    : status === 'Live'
      ? rfc3339(now)
      : undefined
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
