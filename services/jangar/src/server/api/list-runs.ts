import type { ResourceCache } from '@agents/controller'
import { listOf, type MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import { ApiError } from './api-error.ts'
import type { RunChanges } from './run-changes.ts'
import { type AnyRun, type RunSummary, ranBy, runSummary } from './run-summary.ts'

/** The runs of one kind. */
export interface RunSource {
  readonly cache: ResourceCache<AnyRun>
  readonly changes: RunChanges
}

export interface RunQuestion {
  readonly namespace: string | undefined
  readonly kind: string | undefined
  readonly phase: string | undefined
  readonly agent: string | undefined
  /** `key=value`, or a key that must exist. */
  readonly labels: readonly string[]
  readonly limit: number
  readonly cursor: string | undefined
}

interface RunPage {
  readonly items: readonly RunSummary[]
  /** Where the next page starts. Absent on the last page. */
  readonly next?: string
}

/** More namespaces than a caller without rights in the whole cluster may ask about at once. */
const mostNamespaces = 200

/** The runs that the caller may list, newest first. */
export async function listRuns(
  sources: readonly RunSource[],
  mayDo: MayDo,
  caller: Caller,
  question: RunQuestion,
): Promise<RunPage> {
  const after = question.cursor === undefined ? undefined : readCursor(question.cursor)
  const wanted = sources.filter(
    ({ cache }) => question.kind === undefined || cache.kind.kind === question.kind,
  )
  if (wanted.some(({ changes }) => !changes.isFilled())) {
    throw new ApiError('Unavailable', 'the list of runs is not complete yet; try again', {
      retryAfterMs: 1000,
    })
  }
  const visible = await Promise.all(
    wanted.map(({ cache }) => visibleRuns(cache, mayDo, caller, question.namespace)),
  )
  if (question.namespace !== undefined && visible.every((runs) => runs === 'forbidden')) {
    const what = question.kind === undefined ? 'runs' : `${question.kind}s`
    throw new ApiError(
      'Forbidden',
      `${caller.username} may not list ${what} in namespace ${question.namespace}`,
    )
  }
  const matching = visible
    .flatMap((runs) => (runs === 'forbidden' ? [] : runs))
    .filter((run) => matches(run, question))
    .map((run) => ({ run, position: positionOf(run) }))
    .filter(({ position }) => after === undefined || comparePositions(position, after) > 0)
    .toSorted((a, b) => comparePositions(a.position, b.position))
  const page = matching.slice(0, question.limit)
  const last = page.at(-1)
  return {
    items: page.map(({ run }) => runSummary(run)),
    ...(last !== undefined && matching.length > page.length && { next: cursorOf(last.position) }),
  }
}

async function visibleRuns(
  cache: ResourceCache<AnyRun>,
  mayDo: MayDo,
  caller: Caller,
  namespace: string | undefined,
): Promise<readonly AnyRun[] | 'forbidden'> {
  const { kind } = cache
  if (namespace !== undefined) {
    return (await mayDo(caller, listOf(kind, namespace))) ? cache.list(namespace) : 'forbidden'
  }
  if (await mayDo(caller, listOf(kind))) return cache.list()
  const byNamespace = Map.groupBy(cache.list(), ({ metadata }) => metadata.namespace ?? '')
  if (byNamespace.size > mostNamespaces) {
    throw new ApiError('BadRequest', 'there are too many namespaces; name one with ?namespace=')
  }
  const allowed: AnyRun[] = []
  for (const [name, runs] of byNamespace) {
    if (await mayDo(caller, listOf(kind, name))) allowed.push(...runs)
  }
  return allowed
}

function matches(run: AnyRun, { phase, agent, labels }: RunQuestion): boolean {
  if (phase !== undefined && run.status?.phase !== phase) return false
  if (agent !== undefined && (run.kind !== 'AgentRun' || ranBy(run) !== agent)) return false
  const own = run.metadata.labels ?? {}
  return labels.every((label) => {
    const at = label.indexOf('=')
    if (at === -1) return Object.hasOwn(own, label)
    const key = label.slice(0, at)
    return Object.hasOwn(own, key) && own[key] === label.slice(at + 1)
  })
}

/** Where a run stands in the list: time of creation and uid. No run ever changes its place. */
interface Position {
  readonly createdAt: string
  readonly uid: string
}

function positionOf({ metadata }: AnyRun): Position {
  return { createdAt: metadata.creationTimestamp ?? '', uid: metadata.uid ?? '' }
}

function comparePositions(a: Position, b: Position): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  if (a.uid === b.uid) return 0
  return a.uid < b.uid ? -1 : 1
}

function cursorOf({ createdAt, uid }: Position): string {
  return Buffer.from(`${createdAt} ${uid}`).toString('base64url')
}

function readCursor(text: string): Position {
  const [, createdAt, uid] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) ([\w-]{1,64})$/.exec(
      Buffer.from(text, 'base64url').toString('utf8'),
    ) ?? []
  if (createdAt === undefined || uid === undefined) {
    throw new ApiError('BadRequest', 'cursor must be the "next" of a page before')
  }
  return { createdAt, uid }
}
