import { type GateOf, pass, wait } from '@agents/controller'
import type { ClusterWatchRule, WatchRule, watchRuleConditions } from '@agents/gittarget-api'
import type { MirrorState } from '../../mirror/mirror-state.ts'
import type { Mirrors } from '../../mirror/mirrors.ts'
import { hasVersion } from '../../mirror/rule-versions.ts'
import type { ResourceProblem } from '../../mirror/selection/resolve-resources.ts'
import { typeName } from '../../mirror/selection/resource-type.ts'
import type { StreamReport } from '../../mirror/stream/watched-streams.ts'
import type { ResolvedRule, RuleDetail } from '../resolved-rule.ts'
import { retryMs } from './retry.ts'

/** How long a rule keeps its status while the mirror of its target restarts or takes over a change of the rule. */
const restartGraceMs = 20_000

const mostBlocked = 8

interface StreamsLivePorts<Rule> {
  readonly mirrors: Pick<Mirrors, 'until'>
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
      const known = resolve(rule)
      const isDone = (mirror?: MirrorState): boolean => isSettled({ ...known, mirror })
      await mirrors.until(targetKeyOf(rule), isDone, graceMs, signal)
      return streamsVerdict(resolve(rule))
    },
    blockedDetail: (rule) => streamsDetail(resolve(rule)),
  }
}

function wasLive({ status }: WatchRule | ClusterWatchRule): boolean {
  const conditions = status?.conditions ?? []
  return conditions.some(({ type, status: value }) => type === 'StreamsLive' && value === 'True')
}

function isSettled(rule: ResolvedRule): boolean {
  const { mirror } = rule
  return (
    mirror !== undefined &&
    isPlanned(rule) &&
    !mirror.isSyncing &&
    mirror.streams.every(({ state }) => state.kind !== 'listing')
  )
}

/**
 * Whether the mirror has the streams of the current rule. The target takes over a changed rule in its own reconcile,
 * which takes longer than that of the rule; until then the streams are those of the previous rule.
 */
function isPlanned(rule: ResolvedRule): boolean {
  const { id, version, mirror, selected } = rule
  if (mirror === undefined || !hasVersion(mirror.rules, id, version)) return false
  const own = new Set(ownStreams(rule).map(({ resource }) => resource))
  return selected.selections.every(({ type }) => own.has(typeName(type)))
}

function streamsVerdict(rule: ResolvedRule) {
  const { mirror } = rule
  const detail = streamsDetail(rule)
  if (mirror === undefined) {
    return wait('TargetNotReady', 'the mirror of the GitTarget is not running yet', retryMs, {
      detail,
    })
  }
  if (!isPlanned(rule)) {
    const message = 'the GitTarget has not opened the streams of the current rule yet'
    return wait('InitialSync', message, retryMs, { detail })
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
  if (isListing || mirror.isSyncing) {
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
  const { problems, selections } = rule.selected
  const { size } = new Set(selections.map(({ type }) => `${typeName(type)}/${type.version}`))
  const live = Math.min(size, own.filter(({ state }) => state.kind === 'live').length)
  const total = size + problems.length
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

/** The streams of what the rule selects now: it may still have others that it has just given up. */
function ownStreams({ id, mirror, selected }: ResolvedRule): StreamReport[] {
  const names = new Set(selected.selections.map(({ type }) => typeName(type)))
  const streams = mirror?.streams ?? []
  return streams.filter(({ resource, rules }) => rules.includes(id) && names.has(resource))
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
