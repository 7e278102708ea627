import { pass, stall, wait } from '@agents/controller'
import type { ClusterWatchRule, GitTarget, WatchRule } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { MirrorState, StreamReport } from '../mirror/mirror-state.ts'
import type { Mirrors } from '../mirror/mirrors.ts'
import type { ResourceProblem } from '../mirror/resolve-resources.ts'
import type { Selected } from '../mirror/selection.ts'

/** News wakes the rule; this is for what was missed all the same. */
export const RETRY_MS = 300_000

/** How long a rule that was served keeps its good name while its target's mirror is being started again. */
const RESTART_PATIENCE_MS = 20_000

/** After a restart of this process, until it is known again how the rule's streams are. */
export const mirrorOf = (
  rule: WatchRule | ClusterWatchRule,
  target: string,
  mirrors: Mirrors,
  signal: AbortSignal,
): Promise<MirrorState | undefined> => {
  const wasLive = rule.status?.conditions?.some(
    ({ type, status }) => type === 'StreamsLive' && status === 'True',
  )
  const isKnown = (state?: MirrorState): boolean =>
    state !== undefined &&
    !state.isSyncing &&
    state.streams.every((stream) => stream.state.kind !== 'listing')
  return mirrors.until(target, isKnown, wasLive ? RESTART_PATIENCE_MS : 0, signal)
}

export interface RuleDetail {
  readonly streams: NonNullable<WatchRule['status']>['streams']
}

/** What is known of a rule: the choice that it makes, and the streams that serve it. */
export interface RuleFindings {
  readonly id: string
  readonly target: GitTarget | undefined
  readonly selected: Selected
  readonly mirror: MirrorState | undefined
}

export const targetNotFound = (key: { namespace?: string | undefined; name: string }) =>
  wait('TargetNotFound', `the GitTarget ${formatKey(key)} does not exist`, RETRY_MS)

export const resourcesVerdict = ({ selected }: RuleFindings) => {
  const [first] = selected.problems
  if (first === undefined) {
    const { length } = new Set(selected.selections.map(({ type }) => type)).values().toArray()
    return pass('OK', length === 1 ? 'one resource was found' : `${length} resources were found`)
  }
  const message = selected.problems.map((problem) => problem.message).join('; ')
  return selected.problems.every(({ reason }) => reason === 'ResourceNotServed')
    ? wait(first.reason, message, RETRY_MS)
    : stall(first.reason, message)
}

export const streamsVerdict = (findings: RuleFindings) => {
  const { mirror, selected } = findings
  const detail = streamsDetail(findings)
  if (mirror === undefined) {
    return wait('TargetNotReady', 'the target cannot be written to yet', RETRY_MS, { detail })
  }
  const own = ownStreams(findings)
  const forbidden = own.find(({ state }) => state.kind === 'forbidden')
  if (forbidden !== undefined) {
    return wait('Forbidden', blockedMessage(forbidden), RETRY_MS, { detail })
  }
  const broken = own.find(({ state }) => state.kind === 'missing' || state.kind === 'disconnected')
  if (broken !== undefined) {
    return wait('Disconnected', blockedMessage(broken), RETRY_MS, { detail })
  }
  const isListing = own.some(({ state }) => state.kind === 'listing')
  const isPlanned = own.length > 0 || selected.selections.length === 0
  if (!isPlanned || isListing || mirror.isSyncing) {
    return wait('InitialSync', 'what exists is still being read', RETRY_MS, { detail })
  }
  return pass('OK', own.length === 1 ? 'one stream is live' : `${own.length} streams are live`, {
    detail,
  })
}

export const streamsDetail = (findings: RuleFindings): Partial<RuleDetail> => {
  const own = ownStreams(findings)
  const live = own.filter(({ state }) => state.kind === 'live').length
  const { problems } = findings.selected
  const total = own.length + problems.length
  const blocked = [...problems.map(ofProblem), ...own.flatMap(ofStream)]
  const unique = [...new Map(blocked.map((each) => [each.resource, each])).values()]
  return {
    streams: {
      summary: `${live}/${total}`,
      total,
      live,
      ...(unique.length > 0 && { blocked: unique.slice(0, MOST_BLOCKED) }),
    },
  }
}

const MOST_BLOCKED = 8

const ownStreams = ({ id, mirror }: RuleFindings): StreamReport[] =>
  mirror?.streams.filter(({ rules }) => rules.includes(id)) ?? []

const blockedMessage = ({ state }: StreamReport): string =>
  'message' in state ? state.message : 'it is not live'

const ofProblem = ({ resource, reason, message }: ResourceProblem) => ({
  resource,
  reason: reason as string,
  message,
})

const ofStream = (report: StreamReport) => {
  const words: Partial<Record<typeof report.state.kind, string>> = {
    forbidden: 'Forbidden',
    missing: 'ResourceNotServed',
    disconnected: 'Disconnected',
  }
  const reason = words[report.state.kind]
  const { resource } = report
  return reason === undefined ? [] : [{ resource, reason, message: blockedMessage(report) }]
}
