import type { ResourceCache } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import { ApiError } from './api-error.ts'
import type { ArchivedRuns, ArchivedSummary, RunFilter, VisibleKind } from './archived-runs.ts'
import { needFilled } from './need-runs.ts'
import type { RunChanges } from './run-changes.ts'
import { comparePositions, cursorOf, type RunPosition, readCursor } from './run-position.ts'
import { repositoryOf } from './run-repository.ts'
import { type AnyRun, ranBy, runSummary } from './run-summary.ts'
import { searchedText, wordsOf } from './run-words.ts'
import { visibleKinds, visibleRuns } from './visible-runs.ts'

/** The runs of one kind. */
export interface RunSource {
  readonly cache: ResourceCache<AnyRun>
  readonly changes: RunChanges
  /** Whose runs the cache has; `*` for all. */
  readonly namespaces: readonly string[]
}

export interface ListPorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
  /** Undefined if there is no archive. */
  readonly archive: ArchivedRuns | undefined
  readonly log: Logger
}

export interface RunQuestion extends RunFilter {
  readonly namespace: string | undefined
  readonly kind: string | undefined
  /** If undefined, both. */
  readonly source: 'cluster' | 'archive' | undefined
  readonly limit: number
  readonly cursor: string | undefined
}

interface RunPage {
  /** The JSON of a `RunSummary` each. */
  readonly items: readonly string[]
  /** Where the next page starts. Absent on the last page. */
  readonly next?: string
  /** Present if the archive did not answer: then the page has runs in the cluster only. */
  readonly archive?: 'unavailable'
}

/** The runs that the caller may list, in the cluster and in the archive, newest first, each once. */
export async function listRuns(
  ports: ListPorts,
  caller: Caller,
  question: RunQuestion,
): Promise<RunPage> {
  const { sources, archive, log } = ports
  const { source, limit } = question
  const after = question.cursor === undefined ? undefined : readCursor(question.cursor)
  const wanted = sources.filter(
    ({ cache }) => question.kind === undefined || cache.kind.kind === question.kind,
  )
  // Without the whole list, a run that is in both would be shown in an old state.
  needFilled(wanted)
  const asked = source === 'cluster' ? undefined : archive
  const failed: { at?: 'archive' } = {}
  const onFailure = (error: unknown): undefined => {
    log.warn('archive not read', { error })
    if (source === 'archive') {
      throw new ApiError('Unavailable', 'the archive does not answer; try again', { cause: error })
    }
    failed.at = 'archive'
  }
  const archivedIn = async () => (await asked?.namespaces().catch(onFailure)) ?? []
  const visible = await visibleKinds(ports.mayDo, wanted, caller, question, archivedIn)
  const live = wanted
    .flatMap(({ cache }) => visibleRuns(cache, visible))
    .map((run) => ({ run, position: positionOf(run) }))
    .filter(({ position }) => after === undefined || comparePositions(position, after) > 0)
    .toSorted((a, b) => comparePositions(a.position, b.position))
  const fromCluster =
    source === 'archive'
      ? []
      : live
          .filter(({ run }) => matches(run, question))
          .slice(0, limit + 1)
          .map(({ run, position }) => ({ position, summary: JSON.stringify(runSummary(run)) }))
  const fromArchive =
    asked === undefined || failed.at !== undefined
      ? []
      : ((await othersIn(asked, visible, question, after, live).catch(onFailure)) ?? [])
  const matching = merged(fromCluster, fromArchive)
  const page = matching.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(({ summary }) => summary),
    ...(last !== undefined && matching.length > limit && { next: cursorOf(last.position) }),
    ...(failed.at === 'archive' && { archive: 'unavailable' as const }),
  }
}

/** Both are in order. Positions are compared only if there is something to merge: a page may have thousands. */
function merged(
  fromCluster: readonly ArchivedSummary[],
  fromArchive: readonly ArchivedSummary[],
): readonly ArchivedSummary[] {
  if (fromCluster.length === 0) return fromArchive
  if (fromArchive.length === 0) return fromCluster
  return [...fromCluster, ...fromArchive].toSorted((a, b) =>
    comparePositions(a.position, b.position),
  )
}

/** The page as it is sent. */
export function pageText({ items, ...others }: RunPage): string {
  const more = JSON.stringify(others).slice(1, -1)
  return `{"items":[${items.join(',')}]${more === '' ? '' : `,${more}`}}\n`
}

/** How many runs of the cluster are excluded in one query. */
const exceptedAtOnce = 1_000

/** One more than a page of archived runs that are not in the cluster: there, their state is newer. */
async function othersIn(
  archive: ArchivedRuns,
  visible: readonly VisibleKind[],
  question: RunQuestion,
  after: RunPosition | undefined,
  live: readonly { readonly position: RunPosition }[],
): Promise<ArchivedSummary[]> {
  const { limit, source } = question
  const found: ArchivedSummary[] = []
  let from = after
  for (let at = 0; ; at += exceptedAtOnce) {
    const near = source === 'archive' ? [] : live.slice(at, at + exceptedAtOnce)
    const end = near.length < exceptedAtOnce ? undefined : near.at(-1)?.position
    const except = near.map(({ position: { uid } }) => uid)
    const more = await archive.list({
      ...question,
      ...{ visible, except, after: from, limit: limit + 1 - found.length },
    })
    // What comes after the last one that was excluded may be in the cluster too.
    const sure =
      end === undefined ? more : more.filter(({ position }) => comparePositions(position, end) < 0)
    found.push(...sure)
    if (end === undefined || found.length > limit) return found
    from = end
  }
}

function matches(run: AnyRun, filter: RunFilter): boolean {
  const { phase, agent, orchestration, repository, labels, words, since, until } = filter
  if (phase !== undefined && run.status?.phase !== phase) return false
  if (agent !== undefined && (run.kind !== 'AgentRun' || ranBy(run) !== agent)) return false
  if (orchestration !== undefined) {
    if (run.kind !== 'OrchestrationRun' || ranBy(run) !== orchestration) return false
  }
  if (repository !== undefined && repositoryOf(run) !== repository) return false
  const { creationTimestamp: createdAt = '', labels: own = {} } = run.metadata
  if (since !== undefined && createdAt < since) return false
  if (until !== undefined && createdAt >= until) return false
  const hasLabels = labels.every((label) => {
    const at = label.indexOf('=')
    if (at === -1) return Object.hasOwn(own, label)
    const key = label.slice(0, at)
    return Object.hasOwn(own, key) && own[key] === label.slice(at + 1)
  })
  if (!hasLabels || words.length === 0) return hasLabels
  const present = wordsOf(searchedText(run))
  return words.every((word) => present.has(word))
}

function positionOf({ metadata }: AnyRun): RunPosition {
  return { createdAt: metadata.creationTimestamp ?? '', uid: metadata.uid ?? '' }
}
