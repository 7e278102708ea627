import type { KubeObject } from '@agents/kube'
import type { Registry } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { type InternalClient, ignoreMissing } from './internal-client.ts'

interface EventExpiryOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  readonly clock: () => Date
  readonly onError: (key: string, error: unknown) => void
  /** How long an Event is kept after its last occurrence. */
  readonly ttlMs?: number
  readonly sweepEveryMs?: number
}

const prefix = '/core/events/'
const hour = 3_600_000

/** Deletes Events one hour after their last occurrence. */
export function startEventExpiry(options: EventExpiryOptions): BackgroundTask {
  const { onError, sweepEveryMs = 60_000 } = options
  let running: Promise<void> | undefined
  const sweep = () => {
    running ??= removeOld(options)
      .catch((error: unknown) => onError(prefix, error))
      .finally(() => {
        running = undefined
      })
  }
  const timer = setInterval(sweep, sweepEveryMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
    async idle() {
      await running
    },
  }
}

async function removeOld({
  store,
  registry,
  client,
  clock,
  ttlMs = hour,
}: EventExpiryOptions): Promise<void> {
  const resource = registry.find('', 'v1', 'events')
  if (resource === undefined) return
  const oldest = clock().getTime() - ttlMs
  for (const { value } of store.list(prefix).entries) {
    if (lastHappened(value) > oldest) continue
    const { namespace = '', name } = value.metadata
    await ignoreMissing(
      client.delete({ resource, namespace, name }, { propagationPolicy: 'Background' }),
    )
  }
}

interface EventParts {
  lastTimestamp?: string | null
  eventTime?: string | null
  series?: { lastObservedTime?: string | null } | null
}

function lastHappened(event: KubeObject): number {
  const { lastTimestamp, eventTime, series } = event as EventParts
  const times = [
    event.metadata.creationTimestamp,
    lastTimestamp,
    eventTime,
    series?.lastObservedTime,
  ]
  return Math.max(...times.map((time) => (time ? Date.parse(time) : 0)))
}
