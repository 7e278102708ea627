import {
  type ClusterEvent,
  isForbidden,
  JobKind,
  type KubeClient,
  type KubeObject,
  PodKind,
} from '@agents/kube'
import { eventsOf } from '../cluster/events-of.ts'
import type { ShownRun } from '../run/run-kind.ts'

/**
 * Warning events of the current Job of a run and of its pods. A Job that cannot create a pod reports this only in
 * events.
 */
export async function warningsOfJob(
  client: KubeClient,
  { metadata, status }: ShownRun,
  signal: AbortSignal,
): Promise<ClusterEvent[]> {
  const { namespace = '' } = metadata
  const { name, uid } = (status?.runtimeRef ?? {}) as { name?: string; uid?: string }
  if (name === undefined || uid === undefined) return []
  const job = { apiVersion: 'batch/v1', kind: JobKind.kind, metadata: { namespace, name, uid } }
  const labelSelector = `batch.kubernetes.io/job-name=${name}`
  const pods = await client
    .list(PodKind, { namespace, labelSelector, signal })
    .then(({ items }) => items.map((pod): KubeObject => ({ ...pod, kind: PodKind.kind })))
    .catch((error: unknown) => {
      if (isForbidden(error)) return []
      throw error
    })
  const events = await Promise.all([job, ...pods].map((each) => eventsOf(client, each, signal)))
  return events.flat().filter(({ type }) => type === 'Warning')
}
