import { type AdmissionPolicy, type PolicyValidation, writesOf } from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'
import { implementationSource } from '../agents/implementation-source/kind.ts'
import { implementationSpec } from '../agents/implementation-spec/kind.ts'
import { orchestrationRun } from '../orchestration/orchestration-run/kind.ts'
import { toolRun } from '../tools/tool-run/kind.ts'
import { mayCreate, mayIn } from './may-create.ts'
import { isPlatform, requestedByAnnotation, requesterIn, stampsAuthor } from './requested-by.ts'

/** An expression for whether the request decides what is imported, or what is started. */
const isChange =
  "(request.operation == 'CREATE' || has(object.spec) != has(oldObject.spec) || (has(object.spec) && object.spec != oldObject.spec))"

const hasTriggers =
  '(has(object.spec) && has(object.spec.triggers) && size(object.spec.triggers) > 0)'

const startsOrchestrations = `variables.isChange && ${hasTriggers} && object.spec.triggers.exists(one, has(one.template.kind) && one.template.kind == 'OrchestrationRun')`

function mayWriteSpecs(verb: string): PolicyValidation {
  return {
    expression: `!variables.isChange || ${mayIn(implementationSpec, verb)}`,
    message: `spec: you may not ${verb} the implementationspecs.${implementationSpec.group} that the source imports`,
    messageExpression: `'spec: ' + request.userInfo.username + ' may not ${verb} implementationspecs.${implementationSpec.group} in the namespace ' + request.namespace + ', which the source imports'`,
    reason: 'Forbidden',
  }
}

/** The user who last changed the spec: the runs of its triggers are requested by that user. */
export const stampImplementationSource: AdmissionPolicy = {
  name: `triggers-requested-by.${implementationSource.group}`,
  description: `Sets the annotation ${requestedByAnnotation} of an ImplementationSource to the user who last changed its spec.`,
  appliesTo: 'managedNamespaces',
  kind: 'MutatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'IfNeeded',
    matchConstraints: writesOf([implementationSource]),
    ...stampsAuthor(isChange),
  },
}

/** The controllers write specs and start runs with their own rights, so the author of a source needs these, too. */
export const guardImplementationSource: AdmissionPolicy = {
  name: `imports.${implementationSource.group}`,
  description: `The author of an ImplementationSource must be allowed to create and patch the ImplementationSpecs that it imports, and to create the runs that its triggers start, and is named in the annotation ${requestedByAnnotation}.`,
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([implementationSource]),
    variables: [
      { name: 'isChange', expression: isChange },
      { name: 'requestedBy', expression: requesterIn('object') },
      {
        name: 'before',
        expression: `request.operation == 'UPDATE' ? ${requesterIn('oldObject')} : ''`,
      },
    ],
    validations: [
      mayWriteSpecs('create'),
      mayWriteSpecs('patch'),
      mayCreate(agentRun, `variables.isChange && ${hasTriggers}`, 'source'),
      mayCreate(orchestrationRun, startsOrchestrations, 'source'),
      // Steps of an Orchestration create them.
      mayCreate(toolRun, startsOrchestrations, 'source'),
      {
        expression: `(variables.isChange ? variables.requestedBy in ['', request.userInfo.username] : variables.requestedBy == variables.before) || ${isPlatform}`,
        message: `metadata.annotations[${requestedByAnnotation}]: must be the user who last changed the spec`,
        reason: 'Forbidden',
      },
    ],
  },
}
