import { type AdmissionPolicy, platformAccountsPlaceholder, writesOf } from '@agents/crd'
import { toolRun } from '../tools/tool-run/kind.ts'
import { isPlatform } from './requested-by.ts'

/**
 * Whoever may create ToolRuns may run Tools, whose authors decide what they do with Secrets. That does not include what
 * is in the Memories of the namespace. A platform without accounts of its own acts as its only user.
 */
export const guardMemoryOperation: AdmissionPolicy = {
  name: `memories.${toolRun.group}`,
  description:
    'Only the platform creates ToolRuns that are operations on a Memory: those of steps of kind MemoryOp.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([toolRun]),
    matchConditions: [
      {
        name: 'other-users',
        expression: `size(${platformAccountsPlaceholder}) > 0 && !(${isPlatform})`,
      },
    ],
    validations: [
      {
        // The definition allows a run without a spec, which another user could add.
        expression:
          '!has(object.spec) || !has(object.spec.memory) || (oldObject != null && has(oldObject.spec) && has(oldObject.spec.memory))',
        message: 'spec.memory: only the platform sets it; use a step of kind MemoryOp',
        reason: 'Forbidden',
      },
    ],
  },
}
