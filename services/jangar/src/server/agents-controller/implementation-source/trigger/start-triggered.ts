import type { Permission } from '@agents/forge'
import type { AgentRun, ImplementationSource, ImplementationSpec } from '@agents/jangar-api'
import { isAlreadyExists, isNotFound, type KubeClient } from '@agents/kube'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import { NameTaken } from '../import/import-issue.ts'
import { asSpelled, importedSpec, isImported, specName } from '../import/imported-spec.ts'
import type { OpenSourceForge } from '../sync/open-source-forge.ts'
import { checkedEvent, isSameUser, runOnBranch } from './event-origin.ts'
import { templateProblem } from './event-template.ts'
import {
  agentRunsOf,
  cancelRun,
  createdAt,
  isActive,
  listStarted,
  originOf,
  type StartedRun,
  startedBy,
  startedKinds,
} from './started-runs.ts'
import type { IsTeamMember } from './team-members.ts'
import type { TriggerEvent } from './trigger-event.ts'
import { whenRefusal } from './trigger-when.ts'
import {
  type Continued,
  eventAnnotation,
  groupOf,
  roundOf,
  specLabel,
  triggeredRun,
  triggeredRunName,
} from './triggered-run.ts'
import type { Turns } from './turns.ts'

export interface TriggerPorts {
  readonly client: KubeClient
  readonly caches: Pick<
    AgentsCaches,
    'agentRuns' | 'orchestrationRuns' | 'implementationSpecs' | 'versionControlProviders'
  >
  readonly openForge: OpenSourceForge
  /** With the right to read pull requests. */
  readonly openProposals: OpenSourceForge
  readonly isTeamMember: IsTeamMember
  /** One process starts runs, so that turns within it suffice. */
  readonly turns: Turns
}

/** What became of an event. */
export type Started =
  | { readonly kind: 'started'; readonly name: string }
  /** Nothing is started, and nobody is answered. */
  | { readonly kind: 'refused'; readonly why: string; readonly isDenied?: boolean }
  /** It is to be tried again when something else has happened. */
  | { readonly kind: 'later'; readonly why: string }

const hourMs = 3_600_000

/** Starts the run of an event, once, if its actor may do so. Throws KubeErrors and ForgeErrors. */
export async function startTriggered(
  ports: TriggerPorts,
  source: ImplementationSource,
  given: TriggerEvent,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<Started> {
  const { caches } = ports
  const read = given.check === undefined ? given : checkedEvent(caches, source, given, given.check)
  if ('kind' in read) return read
  const event = read
  const { namespace = '' } = source.metadata
  const unfilled = templateProblem(event.trigger)
  if (unfilled !== undefined) return { ...refused(unfilled), isDenied: true }
  const unfit = whenRefusal(event)
  if (unfit !== undefined) return { kind: 'refused', ...unfit }
  const found = await workOf(ports, source, event, signal)
  if (found.kind !== 'found') return found
  const group = groupOf({ source, work: found.work, event }).join('=')
  // Events of an issue come in several deliveries at once: of two, the second must see the run of the first.
  return await ports.turns.take(`${namespace} ${group}`, signal, () =>
    startInTurn(ports, { source, event, found, group }, { now, signal }),
  )
}

interface Asked {
  readonly source: ImplementationSource
  readonly event: TriggerEvent
  readonly found: Extract<Work, { readonly kind: 'found' }>
  /** Selector of the runs of which one may be active. */
  readonly group: string
}

async function startInTurn(
  ports: TriggerPorts,
  { source, event, found: { work, previous }, group }: Asked,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<Started> {
  const { client, caches } = ports
  const { namespace } = source.metadata
  const { trigger } = event
  const items = await listStarted(ports, namespace, group, signal)
  const name = triggeredRunName(source, event)
  // Of either kind: somebody may have changed the template since the event was delivered first.
  if (items.some(({ run }) => run.metadata.name === name)) return { kind: 'started', name }
  const continued =
    previous &&
    continuedBy(
      previous,
      items.map(({ run }) => run),
    )
  if (continued && continued.round > trigger.maxRounds) {
    return refused(`the pull request has had its ${trigger.maxRounds} rounds`)
  }
  // Before anything that waits: strangers must not hold up what others ask for.
  const denied = await denial(ports, source, event, { now, signal })
  if (denied !== undefined) return { ...refused(denied), isDenied: true }
  if (event.check !== undefined && !(await isLastCommit(ports, source, event, { now, signal }))) {
    return refused('the pull request has a newer commit, or is closed')
  }
  const active = items.filter(({ run }) => isActive(run))
  if (active[0] !== undefined && trigger.concurrency !== 'Replace') {
    const { cache, run } = active[0]
    const why = `${cache.kind.kind} ${run.metadata.name} is active for the same ${work === undefined ? 'branch' : 'issue'}`
    return trigger.concurrency === 'Queue' ? { kind: 'later', why } : refused(why)
  }
  const sinceMs = now.getTime() - hourMs
  const recent = startedBy(caches, source).filter((run) => createdAt(run) >= sinceMs)
  if (recent.length >= trigger.maxRunsPerHour) {
    return refused(`maxRunsPerHour ${trigger.maxRunsPerHour} is reached`)
  }
  for (const one of active) await cancelRun(client, one, signal)
  const { kind } = startedKinds(caches)[trigger.template.kind ?? 'AgentRun']
  const run = triggeredRun({ source, work, event, continued })
  const isNew = await client.create(kind, run, { signal }).then(
    () => true,
    (error: unknown) => {
      if (!isAlreadyExists(error)) throw error
      return false
    },
  )
  if (!isNew) {
    const known = await client.get(kind, { namespace, name }, { signal })
    if (known.metadata.annotations?.[eventAnnotation] !== event.key) {
      throw new NameTaken(`${kind.kind} ${name} exists and was not started by this event`)
    }
  }
  return { kind: 'started', name }
}

function refused(why: string) {
  return { kind: 'refused', why } as const
}

const ranks = { none: 0, read: 1, write: 2, admin: 3 } as const satisfies Record<Permission, number>

/** Why the actor may not start the run. */
async function denial(
  { openForge, isTeamMember }: TriggerPorts,
  source: ImplementationSource,
  { trigger, actor, actorId, repository, push }: TriggerEvent,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { users, teams, minimumPermission = 'write' } = trigger.actors ?? {}
  const at = `spec.triggers[${trigger.name}].actors`
  const isAnybody = users === undefined && teams === undefined
  const isNamed = users?.some((one) => one.toLowerCase() === actor.toLowerCase()) === true
  if (!isAnybody && !isNamed && (teams === undefined || repository === undefined)) {
    return `${actor} is not one of ${at}.users`
  }
  if (repository === undefined) {
    // A tracker without repositories has no permissions to ask for: somebody must have named the user.
    return isNamed ? undefined : `spec.triggers[${trigger.name}] has no actors.users`
  }
  const forge = await openForge(source, now, signal)
  const user = { name: actor, id: actorId }
  if (push !== undefined) {
    const own = await forge.self(signal)
    if (own !== undefined && isSameUser(own, user)) {
      return `${actor} is the user with whose token the platform itself works`
    }
  }
  const permission = await forge.permission(repository, user, signal)
  if (ranks[permission] < ranks[minimumPermission]) {
    return `${actor} has the permission ${permission} in the repository, and needs ${minimumPermission}`
  }
  if (isAnybody || isNamed) return undefined
  // After the permission, which tells that the name is still that of the user.
  for (const team of teams ?? []) {
    if (await isTeamMember({ forge, source, team, user, now, signal })) return undefined
  }
  return `${actor} is not a member of one of ${at}.teams`
}

/** Whether the pull request is open and still at the commit that was checked: people push to it, too. */
async function isLastCommit(
  { openProposals }: TriggerPorts,
  source: ImplementationSource,
  { check, repository = '', number }: TriggerEvent,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<boolean> {
  const forge = await openProposals(source, now, signal)
  const { state, commit } = await forge.pullRequest(repository, number, signal)
  return state === 'open' && commit === check?.commit
}

type Work =
  | {
      readonly kind: 'found'
      /** Undefined if the event is about no issue. */
      readonly work: ImplementationSpec | undefined
      readonly previous?: AgentRun
    }
  | Extract<Started, { readonly kind: 'refused' | 'later' }>

/**
 * The issue that the event is about. A pull request leads to it through the run that opened it: others, such as those
 * of forks, start nothing, so that what they contain never meets a secret.
 */
async function workOf(
  { client, caches }: TriggerPorts,
  source: ImplementationSource,
  event: TriggerEvent,
  signal: AbortSignal,
): Promise<Work> {
  const { namespace, name: own } = source.metadata
  const { repository: wanted = '' } = source.spec.scope ?? {}
  const { repository } = event
  if (wanted.toLowerCase() !== (repository ?? '').toLowerCase())
    return refused('another repository')
  if (event.push !== undefined) {
    const whose = runOnBranch(caches, source, wanted, event.push)
    if (whose === undefined) return { kind: 'found', work: undefined }
    return refused(`the branch is that of AgentRun ${whose.metadata.name}`)
  }
  if (!event.isPullRequest) {
    const externalId = repository === undefined ? event.externalId : `${wanted}#${event.number}`
    const found = await open(specName(source, { externalId }))
    if (found.kind !== 'found' || found.work === undefined || event.issue === undefined)
      return found
    const { metadata, spec } = found.work
    const then = importedSpec(source, asSpelled(source, event.issue), 'Open')
    return { kind: 'found', work: { ...found.work, metadata, spec: { ...spec, ...then.spec } } }
  }
  const runs = agentRunsOf(caches, source)
  const previous = runs
    .filter(({ status }) => {
      const { repository, pullRequest } = status?.vcs ?? {}
      const isSame = repository?.toLowerCase() === wanted.toLowerCase()
      return isSame && pullRequest?.state === 'Open' && pullRequest.number === event.number
    })
    .toSorted((a, b) => createdAt(b) - createdAt(a))[0]
  if (previous === undefined) {
    // It may be the one that a run has just opened.
    const isPending = runs.some(({ status }) => status?.vcs?.pullRequest?.state === 'Pending')
    const why = `pull request #${event.number} is not that of a run`
    return isPending ? { kind: 'later', why } : refused(why)
  }
  const of = originOf(caches, previous)?.metadata.labels?.[specLabel]
  if (of === undefined) return refused(`pull request #${event.number} is not about an issue`)
  const found = await open(of)
  return found.kind === 'found' ? { ...found, previous } : found

  /** From the server: it may have been imported a moment ago. */
  async function open(name: string): Promise<Work> {
    const kind = caches.implementationSpecs.kind
    const work = await client.get(kind, { namespace, name }, { signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
    if (!work || !isImported(own, work)) return refused('the issue is not imported')
    if (work.spec.source?.state === 'Closed') return refused('the issue is not open')
    return { kind: 'found', work }
  }
}

function continuedBy({ status }: AgentRun, runs: readonly StartedRun[]): Continued | undefined {
  const { repository, headBranch, baseBranch, pullRequest } = status?.vcs ?? {}
  if (repository === undefined || headBranch === undefined) return undefined
  const round = Math.max(0, ...runs.map(roundOf)) + 1
  const number = pullRequest?.number ?? 0
  return { repository, branch: headBranch, base: baseBranch, number, round }
}
