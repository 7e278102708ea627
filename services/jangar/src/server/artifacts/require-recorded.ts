import { type AgentRun, agentRun } from '@agents/jangar-api'
import { isNotFound, type KubeClient, kindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import { ApiError } from '../api/api-error.ts'
import { runtimeRefOf } from '../jobs/runtime-ref.ts'
import type { UploadingRun } from './artifact-of-upload.ts'

const runKind = kindRef<AgentRun>(agentRun)

/**
 * Refuses an upload unless the run has the Job of the pod in its status: whoever may create Jobs can name any run as
 * their owner.
 */
export async function requireRecorded(
  client: Pick<KubeClient, 'get'>,
  { namespace, name, uid, job }: UploadingRun,
): Promise<void> {
  const refusal = new ApiError('Forbidden', `Job ${job.name} does not belong to run ${name}`)
  const run = await client.get(runKind, { namespace, name }).catch((error: unknown) => {
    throw isNotFound(error) ? refusal : error
  })
  if (run.metadata.uid !== uid) throw refusal
  if (jobsIn(run).includes(job.uid)) return
  if (isFinished(run.status?.conditions)) throw refusal
  // The controllers record a Job a moment after they have created it, or when they run again.
  const message = `run ${name} does not have Job ${job.name} in its status; try again`
  throw new ApiError('Unavailable', message, { retryAfterMs: 1000 })
}

/** The UIDs of the Jobs of the current attempts. */
function jobsIn(run: AgentRun): readonly (string | undefined)[] {
  const steps = run.status?.workflow?.steps ?? []
  return [runtimeRefOf(run)?.uid, ...steps.map(({ jobRef }) => jobRef?.uid)]
}
