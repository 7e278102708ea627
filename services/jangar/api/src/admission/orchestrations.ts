import {
  type AdmissionPolicy,
  celString,
  platformAccountsPlaceholder,
  statusWritesOf,
  writesOf,
} from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'
import { orchestration } from '../orchestration/orchestration/kind.ts'
import { orchestrationRun } from '../orchestration/orchestration-run/kind.ts'
import { toolRun } from '../tools/tool-run/kind.ts'
import { mayCreate, mayIn } from './may-create.ts'
import { isPlatform } from './requested-by.ts'

/** An expression for whether the request changes the graph. */
export const changesGraph =
  "(has(object.spec) && (request.operation == 'CREATE' || !has(oldObject.spec) || object.spec != oldObject.spec))"

function hasStep(...kinds: readonly string[]): string {
  const isOne = kinds.map((kind) => `step.kind == ${celString(kind)}`).join(' || ')
  return `has(object.spec.steps) && object.spec.steps.exists(step, ${isOne})`
}

/**
 * The controllers create what the steps of a graph start with their own rights, for whoever runs it: its author needs
 * the rights too.
 */
export const guardOrchestration: AdmissionPolicy = {
  name: `steps.${orchestration.group}`,
  description: 'The author of an Orchestration must be allowed to create what its steps start.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([orchestration]),
    matchConditions: [{ name: 'graph-changed', expression: changesGraph }],
    validations: [
      // What is in a Memory is else for AgentRuns only; the operation itself is a ToolRun.
      mayCreate(agentRun, hasStep('AgentRun', 'MemoryOp'), 'orchestration'),
      mayCreate(toolRun, hasStep('ToolRun', 'MemoryOp'), 'orchestration'),
      mayCreate(orchestrationRun, hasStep('SubOrchestration'), 'orchestration'),
    ],
  },
}

/** A run gets its spec when it is created. The definition of the reference has an optional spec. */
const isStart = `(request.operation == 'CREATE' || !has(oldObject.spec)) && !(${isPlatform})`

const resumed = 'object.spec.resumeFrom'

/**
 * The author of a run is the requester of everything that it starts. A policy cannot read the graph, which others may
 * change until the run is accepted: the right to create all kinds of runs is needed.
 */
export const guardOrchestrationRun: AdmissionPolicy = {
  name: `runs.${orchestrationRun.group}`,
  description:
    'The author of an OrchestrationRun must be allowed to create the runs of its steps, and to read the run that it resumes.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([orchestrationRun]),
    matchConditions: [{ name: 'start', expression: isStart }],
    validations: [
      mayCreate(agentRun, 'true', 'run'),
      mayCreate(toolRun, 'true', 'run'),
      {
        expression: `!has(object.spec) || !has(${resumed}) || ${mayIn(orchestrationRun, 'get', `${resumed}.name`)}`,
        message: 'spec.resumeFrom: you may not get the run that is resumed',
        messageExpression: `'spec.resumeFrom: ' + request.userInfo.username + ' may not get the OrchestrationRun ' + ${resumed}.name + ' in the namespace ' + request.namespace + ', whose outputs the run takes over'`,
        reason: 'Forbidden',
      },
    ],
  },
}

function hasGraph(object: string): string {
  return `(has(${object}.status) && has(${object}.status.orchestration))`
}

function hasStarted(object: string): string {
  return `(has(${object}.status) && has(${object}.status.conditions) && ${object}.status.conditions.exists(c, c.type in ['Admitted', 'Started'] && c.status == 'True'))`
}

/**
 * The graph in the status of a run is what the controllers execute, so whoever could write it would start anything in
 * the name of the run's author. A run that is admitted is not checked by approval policies again. A platform without
 * accounts of its own acts as its only user.
 */
export const guardFrozenGraph: AdmissionPolicy = {
  name: `graphs.${orchestrationRun.group}`,
  description: 'Only the platform records the graph of an OrchestrationRun in its status.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: statusWritesOf(orchestrationRun),
    matchConditions: [
      {
        name: 'other-users',
        expression: `size(${platformAccountsPlaceholder}) > 0 && !(${isPlatform})`,
      },
    ],
    validations: [
      {
        expression: `${hasGraph('object')} == ${hasGraph('oldObject')} && (!${hasGraph('object')} || object.status.orchestration == oldObject.status.orchestration)`,
        message: 'status.orchestration: only the platform records the graph of a run',
        reason: 'Forbidden',
      },
      {
        expression: `${hasStarted('object')} == ${hasStarted('oldObject')}`,
        message: 'status.conditions: only the platform admits and starts a run',
        reason: 'Forbidden',
      },
    ],
  },
}
