import type { KubeObject } from '@agents/kube'
import type { Registry } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { type InternalClient, ignoreMissing } from './internal-client.ts'
import { RetryQueue } from './retry-queue.ts'

interface FinishedJobsOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  readonly clock: () => Date
  readonly onError: (key: string, error: unknown) => void
}

const prefix = '/batch/jobs/'

/** Deletes finished Jobs after `spec.ttlSecondsAfterFinished`, and their pods before them. */
export function startFinishedJobs(options: FinishedJobsOptions): BackgroundTask {
  const { store, clock, onError } = options
  const schedule = (key: string, job: KubeObject) => {
    const due = dueTime(job)
    if (due !== undefined) queue.addAfter(key, due - clock().getTime())
  }
  const queue: RetryQueue = new RetryQueue(async (key) => {
    const job = store.get(key)?.value
    const resource = options.registry.find('batch', 'v1', 'jobs')
    const due = job && dueTime(job)
    if (job === undefined || resource === undefined || due === undefined) return
    if (due > clock().getTime()) {
      // The Job or its TTL has changed since it was queued.
      schedule(key, job)
      return
    }
    const { namespace = '', name, uid } = job.metadata
    const identity = uid === undefined ? {} : { uid }
    await ignoreMissing(
      options.client.delete(
        { resource, namespace, name },
        { propagationPolicy: 'Foreground', ...identity },
      ),
    )
  }, onError)
  const { entries, revision } = store.list(prefix)
  for (const { key, value } of entries) schedule(key, value)
  const watch = store.watch(prefix, revision, ({ type, entry }) => {
    if (type !== 'DELETED') schedule(entry.key, entry.value)
  })
  return {
    async stop() {
      watch.close()
      await queue.stop()
    },
    idle: () => queue.idle(),
  }
}

interface JobParts {
  spec?: { ttlSecondsAfterFinished?: number }
  status?: { conditions?: { type: string; status: string; lastTransitionTime?: string }[] }
}

/** Expiry in milliseconds since the epoch; `undefined` if the Job runs, is being deleted or has no TTL. */
function dueTime(job: KubeObject): number | undefined {
  const { spec, status } = job as JobParts
  const ttlSeconds = spec?.ttlSecondsAfterFinished
  if (ttlSeconds === undefined || job.metadata.deletionTimestamp !== undefined) return undefined
  const finished = status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  )
  if (finished?.lastTransitionTime === undefined) return undefined
  return Date.parse(finished.lastTransitionTime) + ttlSeconds * 1000
}
