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
import { copiedSpec, type RunTemplate, scheduledRun, scheduledTime } from './scheduled-run.ts'

type LastRunRef = NonNullable<NonNullable<Schedule['status']>['lastRunRef']>

/** What starting runs depends on. */
export interface SchedulePorts {
  readonly client: KubeClient
  readonly schedules: Pick<ResourceCache<Schedule>, 'kind'>
  readonly kinds: RunKinds
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
  { due, running }: { readonly due: Date; readonly running: readonly ScheduledRun[] },
  signal: AbortSignal,
): Promise<Start> {
  const { kinds } = ports
  const found = kinds.get(kindOf(schedule) ?? '')
  if (found === undefined) throw new TypeError(`${kindOf(schedule)} cannot be scheduled`)
  const stale = await whyStale(ports, schedule, due, signal)
  if (stale !== undefined) return { kind: 'stale', message: stale }
  const template = templateOf(found, schedule)
  if (template === undefined) return { kind: 'stale', message: 'the run to copy was deleted' }
  const wanted = scheduledRun(schedule, due, template)
  const others = running.filter(({ metadata }) => metadata.name !== wanted.metadata.name)
  try {
    if (schedule.spec.concurrencyPolicy === 'Replace') await cancel(kinds, others, signal)
    const { object } = await found.children.createOrObserve(wanted, schedule, signal)
    if (scheduledTime(object) !== scheduledTime(wanted)) {
      throw new OwnershipError(
        `${object.metadata.name} exists, and the schedule has not started it`,
      )
    }
    const { group, version, kind } = found.cache.kind
    const apiVersion = formatApiVersion({ group, version })
    const { name, uid } = object.metadata
    return {
      kind: 'started',
      ref: { apiVersion, kind, name, ...(uid !== undefined && { uid }) },
      active: others.length + 1,
    }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const because = (error as Error).message.replace(/^POST \S+: /, '')
    const message = `the run that was due at ${rfc3339(due)} could not be created: ${because}`
    return { kind: 'failed', message }
  }
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

function templateOf({ cache }: RunKind, schedule: Schedule): RunTemplate | undefined {
  const { template, targetRef } = schedule.spec
  if (template !== undefined) return template as unknown as RunTemplate
  const { namespace } = schedule.metadata
  const run = cache.get(formatKey({ namespace, name: targetRef?.name ?? '' }))
  return run && { spec: copiedSpec(run) }
}

async function cancel(
  kinds: RunKinds,
  runs: readonly ScheduledRun[],
  signal: AbortSignal,
): Promise<void> {
  for (const { kind, metadata, spec } of runs) {
    if (spec.cancel === true) continue
    await kinds.get(kind)?.api.patch(metadata, { spec: { cancel: true } }, signal)
  }
}

/** The server refuses the run as it is: another attempt is pointless until somebody changes something. */
function isRefusal(error: unknown): boolean {
  if (error instanceof OwnershipError) return true
  if (!(error instanceof KubeError)) return false
  const { code } = error
  return code >= 400 && code < 500 && code !== 409 && code !== 429
}
