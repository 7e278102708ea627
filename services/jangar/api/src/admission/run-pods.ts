import {
  type AdmissionPolicy,
  celString,
  deniesIf,
  platformAccountsPlaceholder,
  writesOf,
} from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'
import { approvalRequest } from '../approvals/approval-request/kind.ts'
import { artifact } from '../artifacts/artifact/kind.ts'
import { orchestrationRun } from '../orchestration/orchestration-run/kind.ts'
import { schedule } from '../schedules/schedule/kind.ts'
import { toolRun } from '../tools/tool-run/kind.ts'
import { hasMetadata } from './metadata-field.ts'
import { isPlatform } from './requested-by.ts'

const jobs = { group: 'batch', plural: 'jobs', scope: 'Namespaced' } as const
const runs = [agentRun, toolRun, orchestrationRun]
const pods = { group: '', plural: 'pods', scope: 'Namespaced' } as const

/**
 * An expression for whether the request gives the object a controller for which `condition` holds of `owner`. It had
 * the controller before only if all of the reference was the same: with the UID alone, a reference to a kind of another
 * group, which anybody may write, would be the first half of one to ours.
 */
function getsController(condition: string): string {
  const isController = (owner: string) => `has(${owner}.controller) && ${owner}.controller`
  const isSame = ['uid', 'name', 'kind', 'apiVersion']
    .map((field) => `before.${field} == owner.${field}`)
    .join(' && ')
  const had = `request.operation == 'UPDATE' && has(oldObject.metadata.ownerReferences) && oldObject.metadata.ownerReferences.exists(before, ${isSame} && ${isController('before')})`
  return `(${hasMetadata('object', 'ownerReferences')} && object.metadata.ownerReferences.exists(owner, ${isController('owner')} && (${condition}) && !(${had})))`
}

function isOwnedBy({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `owner.kind == ${celString(kind)} && owner.apiVersion.startsWith(${celString(`${group}/`)})`
}

/**
 * Whoever may update the Schedules of the namespace may create runs of them, as `agentctl schedule trigger` does. They
 * are not taken for runs that the Schedule has started, which have the annotation of their time, but for its
 * concurrency policy they count. All Schedules, because the request may name one with the UID of another.
 */
const isTrigger = `request.operation == 'CREATE' && object.kind in [${runs.map(({ kind }) => celString(kind)).join(', ')}] && authorizer.group(${celString(schedule.group)}).resource(${celString(schedule.plural)}).namespace(request.namespace).check('update').allowed()`

const isReserved = [...runs.map(isOwnedBy), `(${isOwnedBy(schedule)} && !(${isTrigger}))`].join(
  ' || ',
)

/** An expression for whether the request sets the label by which the cluster finds the pods of a Job. */
function setsLabel(name: string): string {
  const key = celString(name)
  const has = (object: string) =>
    `has(${object}.metadata.labels) && ${key} in ${object}.metadata.labels`
  const isSame = `request.operation == 'UPDATE' && ${has('oldObject')} && oldObject.metadata.labels[${key}] == object.metadata.labels[${key}]`
  return `(${has('object')} && !(${isSame}))`
}

/**
 * The Jobs of a run act as the run: the control plane takes what their pods upload for results of it, and the
 * controllers take a Job that exists under the name of an attempt for their own. Its Artifacts are shown as its files
 * and its output, and the outcome of a run or ApprovalRequest that belongs to an OrchestrationRun is that of its step.
 * Everything that reads owners compares the API group too: a kind of another group may be called the same. A platform
 * without accounts of its own acts as its only user.
 */
export const guardRunJobs: AdmissionPolicy = {
  name: `jobs.${agentRun.group}`,
  description:
    'Only the platform creates Jobs, Artifacts, ApprovalRequests and runs whose controller is a run or a Schedule; users who may update Schedules create runs of them.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([...[jobs, artifact, approvalRequest], ...runs]),
    ...deniesIf(
      [`size(${platformAccountsPlaceholder}) > 0`, `!(${isPlatform})`, getsController(isReserved)],
      {
        message:
          'metadata.ownerReferences: only the platform creates what belongs to a run or a Schedule; to start a run of a Schedule, you need the right to update all Schedules of the namespace',
        reason: 'Forbidden',
      },
    ),
  },
}

const becomesJobPod = [
  getsController(isOwnedBy({ group: jobs.group, kind: 'Job' })),
  setsLabel('batch.kubernetes.io/controller-uid'),
  setsLabel('controller-uid'),
].join(' || ')

/**
 * Which account of the cluster creates the pods of Jobs differs between clusters, but it always writes the status of
 * Jobs, which those who may create Jobs and pods need not. The labels make the cluster adopt a pod.
 */
export const guardJobPods: AdmissionPolicy = {
  name: `pods.${agentRun.group}`,
  description:
    'Only users who may update the status of Jobs, as the cluster itself may, create pods of Jobs.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([pods]),
    ...deniesIf(
      [
        `(${becomesJobPod})`,
        "!authorizer.group('batch').resource('jobs').subresource('status').namespace(request.namespace).check('update').allowed()",
      ],
      {
        message:
          'metadata: only the cluster creates pods of Jobs; remove the owner and the labels of the Job',
        reason: 'Forbidden',
      },
    ),
  },
}
