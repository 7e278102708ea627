import { type AdmissionPolicy, writesOf } from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'

/** A label of every Job and pod of a run: which attempt they are, counted from 1. */
export const attemptLabel = 'agents.proompteng.ai/attempt'

/** Whoever applies an object needs the record: the next apply compares with it. */
const isApplied = "object.metadata.managedFields.exists(entry, entry.operation == 'Apply')"

/**
 * Kubernetes records no field managers of an object that has none, until someone applies it. For Jobs and pods of runs,
 * which only Kubernetes itself writes after they were created, the record is a third of what a run costs the API
 * server. Runs keep theirs: people apply them, and GitTarget shows who changed them.
 *
 * An error of the expression does not deny the request: a Job or pod with the record works in the same way.
 */
export const dropAttemptManagers: AdmissionPolicy = {
  name: `attempts.${agentRun.group}`,
  description:
    'Removes the field managers (metadata.managedFields) of new Jobs and pods of runs, which spares the API server the work of recording them with each write.',
  appliesTo: 'managedNamespaces',
  kind: 'MutatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'Never',
    matchConstraints: {
      ...writesOf(
        [
          { group: 'batch', plural: 'jobs', scope: 'Namespaced' },
          { group: '', plural: 'pods', scope: 'Namespaced' },
        ],
        ['CREATE'],
      ),
      objectSelector: { matchExpressions: [{ key: attemptLabel, operator: 'Exists' }] },
    },
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression: `has(object.metadata.managedFields) && !${isApplied} ? [JSONPatch{op: 'remove', path: '/metadata/managedFields'}] : []`,
        },
      },
    ],
  },
}
