import {
  boolean,
  defineKind,
  freeObject,
  list,
  map,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  timestamp,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { cancelIsFinal } from '../../immutable.ts'
import { int32, nonNegativeInt32 } from '../../integer.ts'
import {
  completionTime,
  phase,
  startTime,
  succeeded,
  succeededMessage,
  succeededReason,
} from '../../printer-column.ts'
import { localRef, observedObject } from '../../reference.ts'
import { runRules } from '../../run-rules.ts'
import { attemptTimes, phaseField, runTimes } from '../../status-field.ts'
import { orchestrationRunConditions } from './conditions.ts'
import { orchestrationRunPhase } from './phase.ts'

const stepStatus = object(
  'Status of a step.',
  {
    name: string('Name of the step.'),
    kind: string('Kind of the step.'),
    phase: optional(string('Pending, Running, Retrying, Succeeded, Failed, Cancelled or Skipped.')),
    message: optional(string('Details about the state of the step.')),
    ...attemptTimes,
    lastTransitionTime: optional(timestamp('When the phase last changed.')),
    attempt: optional(int32('Number of the attempt, counted from 1.')),
    nextRetryAt: optional(timestamp('When the next attempt starts.')),
    resourceRef: optional(observedObject('The object that the step created or waits for.')),
    outputs: optional(freeObject('Values for later steps.')),
  },
  { 'x-kubernetes-preserve-unknown-fields': true },
)

export const orchestrationRun = defineKind({
  ...platform,
  group: group.orchestration,
  kind: 'OrchestrationRun',
  plural: 'orchestrationruns',
  shortNames: ['orchrun'],
  description: 'A run of an Orchestration.',
  spec: withRules(
    object('Specification of the run.', {
      orchestrationRef: localRef('The Orchestration to run.'),
      parameters: optional(map('Parameters for the steps.', string('Value of the parameter.'))),
      deliveryId: optional(
        string('Identifies the request, so that a repeated request is recognized.'),
      ),
      timeoutSeconds: optional(
        nonNegativeInt32(
          'Timeout of the run in seconds, counted from its start. If 0 or omitted, no timeout.',
        ),
      ),
      cancel: optional(boolean('If true, the run and its steps are stopped. Cannot be reverted.')),
    }),
    cancelIsFinal,
  ),
  specOptional: true,
  status: withRules(
    statusObject({
      phase: phaseField(orchestrationRunPhase),
      ...runTimes,
      runId: optional(string('Identifier of the run.')),
      stepStatuses: optional(list('Status of each step.', stepStatus)),
    }),
    ...runRules(orchestrationRunConditions),
  ),
  columns: [
    phase,
    { name: 'Orchestration', type: 'string', jsonPath: '.spec.orchestrationRef.name' },
    succeeded,
    succeededReason,
    startTime,
    completionTime,
    { name: 'RunId', type: 'string', jsonPath: '.status.runId', priority: 1 },
    succeededMessage,
  ],
  summary: 'Succeeded',
})

export type OrchestrationRun = ObjectOf<typeof orchestrationRun>
