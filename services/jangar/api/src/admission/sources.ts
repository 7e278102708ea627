import { type AdmissionPolicy, writesOf } from '@agents/crd'
import { implementationSource } from '../agents/implementation-source/kind.ts'
import { implementationSpec } from '../agents/implementation-spec/kind.ts'
import { mayIn } from './may-create.ts'

/** An expression for whether the request decides what is imported. */
const isChange =
  "(request.operation == 'CREATE' || has(object.spec) != has(oldObject.spec) || (has(object.spec) && object.spec != oldObject.spec))"

/** The controllers write the specs of a source with their own rights, so its author needs the same rights. */
export const guardImplementationSource: AdmissionPolicy = {
  name: `imports.${implementationSource.group}`,
  description:
    'The author of an ImplementationSource must be allowed to create and patch the ImplementationSpecs that it imports.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([implementationSource]),
    variables: [{ name: 'isChange', expression: isChange }],
    validations: ['create', 'patch'].map((verb) => ({
      expression: `!variables.isChange || ${mayIn(implementationSpec, verb)}`,
      message: `spec: you may not ${verb} the implementationspecs.${implementationSpec.group} that the source imports`,
      messageExpression: `'spec: ' + request.userInfo.username + ' may not ${verb} implementationspecs.${implementationSpec.group} in the namespace ' + request.namespace + ', which the source imports'`,
      reason: 'Forbidden' as const,
    })),
  },
}
