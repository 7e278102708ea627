import {
  type AdmissionPolicy,
  type NamedExpression,
  type PolicyValidation,
  platformAccountsPlaceholder,
  writesOf,
} from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'
import { implementationSource } from '../agents/implementation-source/kind.ts'
import { orchestration } from '../orchestration/orchestration/kind.ts'
import { schedule } from '../schedules/schedule/kind.ts'
import { changesGraph } from './orchestrations.ts'

/** One request to the authorizer for each Secret and one for all of them stay within the cost limit of a policy. */
const mostChecked = 24

function volumeSecrets(workload: string) {
  return `(has(${workload}.volumes) ? ${workload}.volumes.filter(volume, has(volume.secretName)).map(volume, volume.secretName) : [])`
}

/** `runtime.config` has no schema: a name stands alone or in an object, as in the spec of a pod. */
function pullSecrets(spec: string) {
  const config = `dyn(${spec}.runtime.config)`
  return `(has(${spec}.runtime) && has(${spec}.runtime.config) && has(${config}.imagePullSecrets) ? ${config}.imagePullSecrets.map(one, type(one) == string ? one : one.name) : [])`
}

/** The Secrets that the spec of an AgentRun names. */
function secretsOf(spec: string): string {
  return [
    `(has(${spec}.secrets) ? ${spec}.secrets : [])`,
    `(has(${spec}.workload) ? ${volumeSecrets(`${spec}.workload`)} : [])`,
    pullSecrets(spec),
    `(has(${spec}.systemPromptRef) && ${spec}.systemPromptRef.kind == 'Secret' ? [${spec}.systemPromptRef.name] : [])`,
    `(has(${spec}.workflow) && has(${spec}.workflow.steps) ? ${spec}.workflow.steps.map(step, (has(step.workload) ? ${volumeSecrets('step.workload')} : []).join(',')).join(',').split(',').filter(name, name != '') : [])`,
  ].join(' + ')
}

const mayGetAll: NamedExpression = {
  name: 'mayGetAll',
  expression:
    "authorizer.group('').resource('secrets').namespace(request.namespace).check('get').allowed()",
}

function mayGet(at: number, use: string): PolicyValidation {
  const name = `variables.secrets[${at}]`
  return {
    expression: `size(variables.secrets) <= ${at} || variables.mayGetAll || authorizer.group('').resource('secrets').namespace(request.namespace).name(${name}).check('get').allowed()`,
    message: `spec: you may not get a Secret ${use === runUse ? 'that the run refers to' : 'that it names'}`,
    messageExpression: `'spec: ' + request.userInfo.username + ' may not get the Secret ' + ${name} + ' in the namespace ' + request.namespace + '${use}'`,
    reason: 'Forbidden',
  }
}

const runUse = ', which the run refers to'

/** The user must be allowed to get each of the Secrets, or all of the namespace. */
export function mayGetNamed(secrets: string, use = runUse) {
  return {
    variables: [{ name: 'secrets', expression: secrets }, mayGetAll],
    validations: [
      {
        expression: `size(variables.secrets) <= ${mostChecked} || variables.mayGetAll`,
        message: `spec: refers to more than ${mostChecked} Secrets, which is more than can be checked`,
        reason: 'Invalid',
      },
      ...Array.from({ length: mostChecked }, (_, at) => mayGet(at, use)),
    ] as const,
  }
}

/**
 * A policy by which the author of a run must be allowed to get the Secrets that the run itself names. Off by default.
 */
export const runSecretsPolicy: AdmissionPolicy = {
  name: `${agentRun.plural}-secrets.${agentRun.group}`,
  description:
    'The author of an AgentRun must be allowed to get the Secrets that the run refers to.',
  appliesTo: 'managedNamespaces',
  feature: 'runSecrets',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([agentRun], ['CREATE']),
    // Most runs name none, and each of the validations would have to find out.
    matchConditions: [{ name: 'secrets', expression: `size(${secretsOf('object.spec')}) > 0` }],
    ...mayGetNamed(secretsOf('object.spec')),
  },
}

const ofTemplate = mayGetNamed(
  `(has(object.spec) && has(object.spec.template) ? ${secretsOf('object.spec.template.spec')} : [])`,
)

/** The same for the run in a Schedule, which the controllers create later. A policy cannot read a run to copy. */
export const scheduleSecretsPolicy: AdmissionPolicy = {
  name: `${schedule.plural}-secrets.${schedule.group}`,
  description:
    'The author of a Schedule must be allowed to get the Secrets that its run refers to, and all Secrets to copy an existing run.',
  appliesTo: 'managedNamespaces',
  feature: 'runSecrets',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([schedule]),
    variables: ofTemplate.variables,
    validations: [
      {
        expression:
          'variables.mayGetAll || !has(object.spec) || !has(object.spec.targetRef) || request.userInfo.username in ' +
          platformAccountsPlaceholder,
        message:
          'spec.targetRef: requires the right to get all Secrets of the namespace; put the run into spec.template instead',
        reason: 'Forbidden',
      },
      ...ofTemplate.validations,
    ],
  },
}

/** The same check for Secrets in the steps of an Orchestration. Templates cannot name Secrets: all names are known. */
export const orchestrationSecretsPolicy: AdmissionPolicy = {
  name: `${orchestration.plural}-secrets.${orchestration.group}`,
  description:
    'The author of an Orchestration must be allowed to get the Secrets that its steps refer to.',
  appliesTo: 'managedNamespaces',
  feature: 'runSecrets',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([orchestration]),
    matchConditions: [{ name: 'graph-changed', expression: changesGraph }],
    ...mayGetNamed(
      `(has(object.spec.steps) ? object.spec.steps.map(step, (${secretsOf('step')}).join(',')).join(',').split(',').filter(name, name != '') : [])`,
    ),
  },
}

/** The same check for Secrets in the runs that triggers start. Events cannot name Secrets: all names are known. */
export const sourceSecretsPolicy: AdmissionPolicy = {
  name: `${implementationSource.plural}-run-secrets.${implementationSource.group}`,
  description:
    'The author of an ImplementationSource must be allowed to get the Secrets that the runs of its triggers refer to.',
  appliesTo: 'managedNamespaces',
  feature: 'runSecrets',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([implementationSource]),
    ...mayGetNamed(
      `(has(object.spec) && has(object.spec.triggers) ? object.spec.triggers.map(one, (${secretsOf('one.template.spec')}).join(',')).join(',').split(',').filter(name, name != '') : [])`,
    ),
  },
}
