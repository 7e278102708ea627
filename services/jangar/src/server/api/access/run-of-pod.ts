import { agentRun } from '@agents/jangar-api'
import { controllerOfKind, isNotFound, JobKind, type KubeClient, PodKind } from '@agents/kube'
import { ApiError } from '../api-error.ts'
import type { PodIdentity } from './caller.ts'

/** The AgentRun that a pod works for. */
export interface PodRun {
  readonly namespace: string
  readonly group: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  /** The attempt. */
  readonly job: { readonly name: string; readonly uid: string }
}

/**
 * Finds the AgentRun of a pod by its owners, pod to Job to run. Labels are not asked: whoever may create pods can
 * choose them, while the token proves which pod it is. Whoever may create Jobs can choose their owner too: what the
 * pod does for the run is taken only if the run has the Job in its status.
 */
export async function runOfPod(
  client: Pick<KubeClient, 'get'>,
  { namespace, name, uid }: PodIdentity,
): Promise<PodRun> {
  const refusal = new ApiError(
    'Forbidden',
    `pod ${namespace}/${name} does not belong to an AgentRun`,
  )
  const unlessGone = (error: unknown): never => {
    throw isNotFound(error) ? refusal : error
  }
  const pod = await client.get(PodKind, { namespace, name }).catch(unlessGone)
  const ofPod = controllerOfKind(pod, JobKind)
  if (pod.metadata.uid !== uid || ofPod === undefined) throw refusal
  const job = await client.get(JobKind, { namespace, name: ofPod.name }).catch(unlessGone)
  const owner = controllerOfKind(job, agentRun)
  if (job.metadata.uid !== ofPod.uid || owner === undefined) throw refusal
  const { kind, name: run, uid: runUid } = owner
  const ofJob = { name: ofPod.name, uid: ofPod.uid }
  return { namespace, group: agentRun.group, kind, name: run, uid: runUid, job: ofJob }
}
