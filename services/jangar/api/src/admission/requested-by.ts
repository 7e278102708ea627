import {
  type AdmissionPolicy,
  celString,
  deniesUnless,
  platformAccountsPlaceholder,
  writesOf,
} from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'
import { orchestrationRun } from '../orchestration/orchestration-run/kind.ts'
import { toolRun } from '../tools/tool-run/kind.ts'
import { hasMetadata } from './metadata-field.ts'

/** The user who created a run: the user name that the API server authenticated. */
export const requestedByAnnotation = 'agents.proompteng.ai/requested-by'

/** Keeps an AgentRun that is being deleted until its Jobs have stopped. */
export const runCleanupFinalizer = 'agents.proompteng.ai/runtime-cleanup'

const runs = [agentRun, toolRun, orchestrationRun]
const key = celString(requestedByAnnotation)

/** An expression for the requester in an object's annotations, or an empty text. A user name is never empty. */
export function requesterIn(object: string) {
  return `(${hasMetadata(object, 'annotations')} && ${key} in ${object}.metadata.annotations ? ${object}.metadata.annotations[${key}] : '')`
}

/** An expression for whether the user is an account of the platform. */
export const isPlatform = `request.userInfo.username in ${platformAccountsPlaceholder}`

/**
 * Stamps an object with the user of each request for which `isChange` holds. A request that changes nothing keeps the
 * stamp, also one that leaves it out, as `kubectl replace` does with a file from Git.
 */
export function stampsAuthor(isChange: string) {
  const before = requesterIn('oldObject')
  const isLeftOut = `(request.operation == 'UPDATE' && ${requesterIn('object')} == '' && ${before} != '')`
  const author = `(${isChange} ? request.userInfo.username : ${before})`
  return {
    matchConditions: [
      { name: 'author', expression: `(${isChange} || ${isLeftOut}) && !(${isPlatform})` },
    ],
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression: `Object{metadata: Object.metadata{annotations: {${key}: ${author}}}}`,
        },
      },
    ],
  } as const
}

/** The platform's own accounts create runs on behalf of users and set the annotation themselves. */
const requestedBy = `(${isPlatform} && ${requesterIn('object')} != '' ? ${requesterIn('object')} : request.userInfo.username)`

/** Only AgentRuns: a finalizer that no controller removes would keep the others from being deleted. */
const needsFinalizer = `object.kind == ${celString(agentRun.kind)}`
const finalizer = celString(runCleanupFinalizer)
const finalizers = `(${needsFinalizer} ? [${finalizer}] : [])`

export const stampRequestedBy: AdmissionPolicy = {
  name: 'requested-by.agents.proompteng.ai',
  description: `Sets the annotation ${requestedByAnnotation} to the user who created a run, and the finalizer ${runCleanupFinalizer} of an AgentRun, which the controllers would add otherwise.`,
  appliesTo: 'managedNamespaces',
  kind: 'MutatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    // Run again after other changes, it would run again after its own, too, for each run. What a later policy or
    // webhook puts into the annotation, `guardRequestedBy` refuses.
    reinvocationPolicy: 'Never',
    matchConstraints: writesOf(runs, ['CREATE']),
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression: `Object{metadata: Object.metadata{annotations: {${key}: ${requestedBy}}, finalizers: ${finalizers}}}`,
        },
      },
    ],
  },
}

export const guardRequestedBy: AdmissionPolicy = {
  name: 'requested-by.agents.proompteng.ai',
  description: `Protects the annotation ${requestedByAnnotation}: it cannot name another user or be changed later.`,
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf(runs),
    ...deniesUnless([
      {
        expression: `request.operation != 'CREATE' || ${requesterIn('object')} in ['', request.userInfo.username] || ${isPlatform}`,
        message: `metadata.annotations[${requestedByAnnotation}]: must be the user who creates the run`,
        messageExpression: `'metadata.annotations[${requestedByAnnotation}]: must be the user who creates the run, ' + request.userInfo.username + ', or omitted'`,
        reason: 'Forbidden',
      },
      {
        expression: `request.operation != 'UPDATE' || ${requesterIn('object')} == ${requesterIn('oldObject')}`,
        message: `metadata.annotations[${requestedByAnnotation}]: cannot be changed`,
        reason: 'Forbidden',
      },
    ]),
  },
}
