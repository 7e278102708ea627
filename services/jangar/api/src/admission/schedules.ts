import { type AdmissionPolicy, writesOf } from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'
import { orchestrationRun } from '../orchestration/orchestration-run/kind.ts'
import { schedule } from '../schedules/schedule/kind.ts'
import { toolRun } from '../tools/tool-run/kind.ts'
import { mayCreate, mayIn } from './may-create.ts'
import { isPlatform, requestedByAnnotation, requesterIn, stampsAuthor } from './requested-by.ts'

/** An expression for whether the request decides what the schedule starts, or when. */
const isChange =
  "(request.operation == 'CREATE' || has(object.spec) != has(oldObject.spec) || (has(object.spec) && object.spec != oldObject.spec))"

const kind =
  "(!has(object.spec) ? '' : has(object.spec.template) ? object.spec.template.kind : has(object.spec.targetRef) ? object.spec.targetRef.kind : '')"

const resumes =
  'has(object.spec) && has(object.spec.template) && has(object.spec.template.spec.resumeFrom)'

/** The user who last changed the spec: the runs of the schedule are requested by that user. */
export const stampSchedule: AdmissionPolicy = {
  name: `requested-by.${schedule.group}`,
  description: `Sets the annotation ${requestedByAnnotation} of a Schedule to the user who last changed its spec.`,
  appliesTo: 'managedNamespaces',
  kind: 'MutatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'IfNeeded',
    matchConstraints: writesOf([schedule]),
    ...stampsAuthor(isChange),
  },
}

/**
 * The controllers create the runs of a schedule with their own rights, so its author needs the right to create them.
 */
export const guardSchedule: AdmissionPolicy = {
  name: `runs.${schedule.group}`,
  description: `The author of a Schedule must be allowed to create the runs that it starts, and is named in the annotation ${requestedByAnnotation}.`,
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([schedule]),
    variables: [
      { name: 'isChange', expression: isChange },
      { name: 'kind', expression: kind },
      { name: 'requestedBy', expression: requesterIn('object') },
      {
        name: 'before',
        expression: `request.operation == 'UPDATE' ? ${requesterIn('oldObject')} : ''`,
      },
    ],
    validations: [
      mayCreate(agentRun, "variables.isChange && variables.kind != 'ToolRun'", 'schedule'),
      mayCreate(toolRun, "variables.isChange && variables.kind != 'AgentRun'", 'schedule'),
      mayCreate(
        orchestrationRun,
        "variables.isChange && variables.kind == 'OrchestrationRun'",
        'schedule',
      ),
      {
        expression: `!variables.isChange || !(${resumes}) || ${mayIn(orchestrationRun, 'get')}`,
        message:
          'spec.template.spec.resumeFrom: requires the right to get all OrchestrationRuns of the namespace',
        reason: 'Forbidden',
      },
      {
        expression: `(variables.isChange ? variables.requestedBy in ['', request.userInfo.username] : variables.requestedBy == variables.before) || ${isPlatform}`,
        message: `metadata.annotations[${requestedByAnnotation}]: must be the user who last changed the spec`,
        reason: 'Forbidden',
      },
    ],
  },
}
