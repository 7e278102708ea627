import type { ResourceCache } from '@agents/controller'
import type { Schedule } from '@agents/jangar-api'
import {
  formatApiVersion,
  formatKey,
  isNotFound,
  type KubeClient,
  OwnershipError,
} from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { orRefusal } from './refusal.ts'
import { kindOf, type RunKind, type RunKinds, type ScheduledRun } from './run-kinds.ts'
import {
  copiedSpec,
  type NamedRun,
  type RunTemplate,
  scheduledRun,
  scheduledTime,
  targetUidOf,
} from './scheduled-run.ts'

type LastRunRef = NonNullable<NonNullable<Schedule['status']>['lastRunRef']>

/** What starting runs depends on. */
export interface SchedulePorts {
  readonly client: KubeClient
  readonly schedules: Pick<ResourceCache<Schedule>, 'kind'>
  readonly kinds: RunKinds
}

/** What to start. */
export interface DueRun {
  readonly due: Date
  /** UID of the run to copy, if the schedule has no template. */
  readonly targetUid: string | undefined
}

/** What became of an attempt to start a run. */
type Start =
  | { readonly kind: 'started'; readonly run: ScheduledRun; readonly ref: LastRunRef }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stale'; readonly message: string }

/** Creates the run of one time, once, unless the schedule has changed meanwhile. */
export async function startRun(
  ports: SchedulePorts,
  schedule: Schedule,
  dueRun: DueRun,
  signal: AbortSignal,
): Promise<Start> {
  const { kinds } = ports
  const { due, targetUid } = dueRun
  const found = kinds.get(kindOf(schedule) ?? '')
  if (found === undefined) throw new TypeError(`${kindOf(schedule)} cannot be scheduled`)
  const stale = await whyStale(ports, schedule, dueRun, signal)
  if (stale !== undefined) return { kind: 'stale', message: stale }
  const template = templateOf(found, schedule, targetUid)
  if (template === undefined) return { kind: 'stale', message: 'the run to copy was deleted' }
  const wanted = scheduledRun(schedule, due, template)
  const created = await orRefusal(create(found, schedule, wanted, signal))
  if (typeof created === 'string') {
    const message = `the run that was due at ${rfc3339(due)} could not be created: ${created}`
    return { kind: 'failed', message }
  }
  const { group, version, kind } = found.cache.kind
  const { name, uid } = created.metadata
  const ref = { apiVersion: formatApiVersion({ group, version }), kind, name, ...(uid && { uid }) }
  return { kind: 'started', run: created, ref }
}

/** The run of one time, which may exist already. */
async function create(
  { children }: RunKind,
  schedule: Schedule,
  wanted: NamedRun,
  signal: AbortSignal,
): Promise<ScheduledRun> {
  const { object } = await children.createOrObserve(wanted, schedule, signal)
  if (scheduledTime(object) === scheduledTime(wanted)) return object
  throw new OwnershipError(`${object.metadata.name} exists, and the schedule has not started it`)
}

/**
 * The cache may be behind: another leader may have started this run and deleted it again, and its name would not
 * prevent a second one. So the schedule is read from the server before each start.
 */
async function whyStale(
  { client, schedules }: SchedulePorts,
  { metadata }: Schedule,
  { due, targetUid }: DueRun,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = { namespace: metadata.namespace, name: metadata.name }
  try {
    const current = await client.get(schedules.kind, key, { signal })
    const { uid, generation, deletionTimestamp } = current.metadata
    if (uid !== metadata.uid || generation !== metadata.generation || deletionTimestamp) {
      return 'the schedule has changed'
    }
    const known = targetUidOf(current) ?? targetUid
    if (known !== targetUid) return 'the run to copy was created again'
    const handled = current.status?.lastScheduleTime
    const isHandled = handled !== undefined && Date.parse(handled) === due.getTime()
    return isHandled ? 'the run that is due was started already' : undefined
  } catch (error) {
    if (isNotFound(error)) return 'the schedule was deleted'
    throw error
  }
}

function templateOf(
  { cache }: RunKind,
  schedule: Schedule,
  targetUid: string | undefined,
): RunTemplate | undefined {
  const { template, targetRef } = schedule.spec
  if (template !== undefined) return template as unknown as RunTemplate
  const { namespace } = schedule.metadata
  const run = cache.get(formatKey({ namespace, name: targetRef?.name ?? '' }))
  if (run === undefined || run.metadata.uid !== targetUid) return undefined
  return { spec: copiedSpec(run) }
}
