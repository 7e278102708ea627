import { type GateOf, pass, wait } from '@agents/controller'
import type { ClusterWatchRule, WatchRule, watchRuleConditions } from '@agents/gittarget-api'
import type { MirrorState } from '../../mirror/mirror-state.ts'
import type { Mirrors } from '../../mirror/mirrors.ts'
import type { ResourceProblem } from '../../mirror/selection/resolve-resources.ts'
import type { StreamReport } from '../../mirror/stream/watched-streams.ts'
import type { ResolvedRule, RuleDetail } from '../resolved-rule.ts'
import { retryMs } from './retry.ts'

/** How long a rule keeps its True condition while the mirror of its target restarts. */
const restartGraceMs = 20_000

const mostBlocked = 8

interface StreamsLivePorts<Rule> {
  readonly mirrors: Mirrors
  readonly resolve: (rule: Rule) => ResolvedRule
  /** `namespace/name` of the GitTarget that the rule refers to. */
  readonly targetKeyOf: (rule: Rule) => string
}

export function streamsLive<Rule extends WatchRule | ClusterWatchRule>({
  mirrors,
  resolve,
  targetKeyOf,
}: StreamsLivePorts<Rule>): GateOf<typeof watchRuleConditions, 'StreamsLive', Rule, RuleDetail> {
  return {
    condition: 'StreamsLive',
    async check(rule, _detail, { signal }) {
      const graceMs = wasLive(rule) ? restartGraceMs : 0
      await mirrors.until(targetKeyOf(rule), isSettled, graceMs, signal)
      return streamsVerdict(resolve(rule))
    },
    blockedDetail: (rule) => streamsDetail(resolve(rule)),
  }
}

function wasLive({ status }: WatchRule | ClusterWatchRule): boolean {
  const conditions = status?.conditions ?? []
  return conditions.some(({ type, status: value }) => type === 'StreamsLive' && value === 'True')
}

function isSettled(mirror: MirrorState | undefined): boolean {
  return (
    mirror !== undefined &&
    !mirror.isSyncing &&
    mirror.streams.every(({ state }) => state.kind !== 'listing')
  )
}

function streamsVerdict(rule: ResolvedRule) {
  const { mirror, selected } = rule
  const detail = streamsDetail(rule)
  if (mirror === undefined) {
    return wait('TargetNotReady', 'the mirror of the GitTarget is not running yet', retryMs, {
      detail,
    })
  }
  const own = ownStreams(rule)
  const forbidden = own.find(({ state }) => state.kind === 'forbidden')
  if (forbidden !== undefined) {
    return wait('Forbidden', blockedMessage(forbidden), retryMs, { detail })
  }
  const broken = own.find(({ state }) => state.kind === 'missing' || state.kind === 'disconnected')
  if (broken !== undefined) {
    return wait('Disconnected', blockedMessage(broken), retryMs, { detail })
  }
  const isListing = own.some(({ state }) => state.kind === 'listing')
  const isPlanned = own.length > 0 || selected.selections.length === 0
  if (!isPlanned || isListing || mirror.isSyncing) {
    return wait('InitialSync', 'existing objects are still being listed and compared', retryMs, {
      detail,
    })
  }
  return pass(
    'OK',
    own.length === 1 ? '1 watch stream is live' : `${own.length} watch streams are live`,
    {
      detail,
    },
  )
}

function streamsDetail(rule: ResolvedRule): Partial<RuleDetail> {
  const own = ownStreams(rule)
  const live = own.filter(({ state }) => state.kind === 'live').length
  const { problems } = rule.selected
  const total = own.length + problems.length
  const blocked = [...problems.map(blockedByProblem), ...own.flatMap(blockedStream)]
  const unique = [...new Map(blocked.map((each) => [each.resource, each])).values()]
  return {
    streams: {
      summary: `${live}/${total}`,
      total,
      live,
      ...(unique.length > 0 && { blocked: unique.slice(0, mostBlocked) }),
    },
  }
}

function ownStreams({ id, mirror }: ResolvedRule): StreamReport[] {
  return mirror?.streams.filter(({ rules }) => rules.includes(id)) ?? []
}

function blockedMessage({ state }: StreamReport): string {
  return 'message' in state ? state.message : 'the stream is not live'
}

function blockedByProblem({ resource, reason, message }: ResourceProblem) {
  return { resource, reason: reason as string, message }
}

const blockedReasons: Partial<Record<StreamReport['state']['kind'], string>> = {
  forbidden: 'Forbidden',
  missing: 'ResourceNotServed',
  disconnected: 'Disconnected',
}

function blockedStream(report: StreamReport) {
  const reason = blockedReasons[report.state.kind]
  const { resource } = report
  return reason === undefined ? [] : [{ resource, reason, message: blockedMessage(report) }]
}
