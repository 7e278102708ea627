import { isConflict, isNotFound, type Job, JobKind, type KubeClient } from '@agents/kube'
import type { EnvironmentPorts } from '../contract-subject.ts'

/** Takes the place of a Job controller: every Job succeeds immediately. */
export function completeJobs({ client, informers, namespace }: EnvironmentPorts): void {
  informers.acquire<Job>(JobKind, { namespace }).addHandler({
    onAdd: (job) => void complete(client, job),
    onUpdate: () => undefined,
    onDelete: () => undefined,
  })
}

async function complete(client: KubeClient, { metadata, status }: Job): Promise<void> {
  if (status?.completionTime !== undefined) return
  const at = new Date().toISOString().replace(/\.\d+/, '')
  const done = (type: string) => ({
    type,
    status: 'True',
    reason: 'CompletionsReached',
    message: '',
    lastTransitionTime: at,
  })
  const body = {
    // Two controllers may patch at the same time.
    metadata: { resourceVersion: metadata.resourceVersion },
    status: {
      startTime: at,
      completionTime: at,
      succeeded: 1,
      conditions: [done('SuccessCriteriaMet'), done('Complete')],
    },
  }
  await client
    .patch(JobKind, metadata, { type: 'merge', body }, { subresource: 'status' })
    .catch((error: unknown) => {
      if (!isConflict(error) && !isNotFound(error)) throw error
    })
}
