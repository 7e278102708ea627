import type { ResourceCache } from '@agents/controller'
import type { Schedule } from '@agents/jangar-api'
import {
  formatApiVersion,
  formatKey,
  isNotFound,
  type KubeClient,
  KubeError,
  OwnershipError,
} from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { kindOf, type RunKind, type RunKinds, type ScheduledRun } from './run-kinds.ts'
import {
  copiedSpec,
  type NamedRun,
  type RunTemplate,
  scheduledRun,
  scheduledTime,
} from './scheduled-run.ts'

type LastRunRef = NonNullable<NonNullable<Schedule['status']>['lastRunRef']>

/** What starting runs depends on. */
export interface SchedulePorts {
  readonly client: KubeClient
  readonly schedules: Pick<ResourceCache<Schedule>, 'kind'>
  readonly kinds: RunKinds
}

interface Starting {
  readonly due: Date
  /** The runs of the schedule that have not ended. */
  readonly running: readonly ScheduledRun[]
  /** UID of the run to copy, if the schedule has no template. */
  readonly targetUid: string | undefined
}

/** What became of an attempt to start a run. */
type Start =
  | { readonly kind: 'started'; readonly ref: LastRunRef; readonly active: number }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stale'; readonly message: string }

/** Creates the run of one time, once, unless the schedule has changed meanwhile. */
export async function startRun(
  ports: SchedulePorts,
  schedule: Schedule,
  { due, running, targetUid }: Starting,
  signal: AbortSignal,
): Promise<Start> {
  const { kinds } = ports
  const found = kinds.get(kindOf(schedule) ?? '')
  if (found === undefined) throw new TypeError(`${kindOf(schedule)} cannot be scheduled`)
  const stale = await whyStale(ports, schedule, due, signal)
  if (stale !== undefined) return { kind: 'stale', message: stale }
  const template = templateOf(found, schedule, targetUid)
  if (template === undefined) return { kind: 'stale', message: 'the run to copy was deleted' }
  const wanted = scheduledRun(schedule, due, template)
  const others = running.filter(({ metadata }) => metadata.name !== wanted.metadata.name)
  const what = `the run that was due at ${rfc3339(due)}`
  const created = await orRefusal(create(found, schedule, wanted, signal))
  if (typeof created === 'string') return failed(`${what} could not be created: ${created}`)
  // A run that cannot be created replaces nothing. After a crash before the next line, the run is found, and those before
  // it are cancelled then.
  if (schedule.spec.concurrencyPolicy === 'Replace') {
    const refusal = await orRefusal(cancel(kinds, others, signal))
    if (refusal !== undefined) return failed(`${what} could not cancel others: ${refusal}`)
  }
  const { group, version, kind } = found.cache.kind
  const { name, uid } = created.metadata
  const ref = { apiVersion: formatApiVersion({ group, version }), kind, name, ...(uid && { uid }) }
  return { kind: 'started', ref, active: others.length + 1 }
}

function failed(message: string): Start {
  return { kind: 'failed', message }
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
  due: Date,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = { namespace: metadata.namespace, name: metadata.name }
  try {
    const current = await client.get(schedules.kind, key, { signal })
    const { uid, generation, deletionTimestamp } = current.metadata
    if (uid !== metadata.uid || generation !== metadata.generation || deletionTimestamp) {
      return 'the schedule has changed'
    }
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
  return run?.metadata.uid === targetUid && run ? { spec: copiedSpec(run) } : undefined
}

async function cancel(
  kinds: RunKinds,
  runs: readonly ScheduledRun[],
  signal: AbortSignal,
): Promise<undefined> {
  for (const { kind, metadata, spec } of runs) {
    if (spec.cancel === true) continue
    try {
      await kinds.get(kind)?.api.patch(metadata, { spec: { cancel: true } }, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** The result of a request, or why the server refuses it. */
async function orRefusal<T>(request: Promise<T>): Promise<T | string> {
  try {
    return await request
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.message.replace(/^[A-Z]+ \S+: /, '')
  }
}

/** Whether the server refuses the request as it is: another attempt is pointless until somebody changes something. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof OwnershipError) return true
  if (!(error instanceof KubeError)) return false
  const { code } = error
  return code >= 400 && code < 500 && code !== 409 && code !== 429
}
