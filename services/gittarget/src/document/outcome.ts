import { isMap, type Json, type JsonMap } from './json.ts'

/**
 * The status without values that controllers write again and again although nothing happened. They would make a commit
 * each time.
 */
export function outcomeOf(status: unknown): JsonMap | undefined {
  const kept = isMap(status) ? withoutNoise(status) : undefined
  return isMap(kept) && Object.keys(kept).length > 0 ? kept : undefined
}

const noise = new Set([
  'heartbeatTime',
  'lastCheckTime',
  'lastCheckedAt',
  'lastEventTime',
  'lastHandledReconcileAt',
  'lastHeartbeatTime',
  'lastObservedTime',
  'lastPollTime',
  'lastProbeTime',
  'lastReconcileTime',
  'lastReconciledAt',
  'lastRefreshTime',
  'lastSeenTime',
  'lastSyncTime',
  'lastSyncedAt',
  'lastUpdateTime',
  'lastValidatedAt',
  'lastValidatedTime',
  'nextCheckTime',
  'nextRetryAt',
  'nextRunTime',
  'nextScheduleTime',
  // These repeat what the rest of the manifest and its history show.
  'observedGeneration',
  'resourceVersion',
])

function withoutNoise(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutNoise(item))
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (member === undefined) return []
      const isNoise = noise.has(name) && !isMap(member) && !Array.isArray(member)
      return isNoise ? [] : [[name, withoutNoise(member)] as const]
    }),
  )
}
