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
import { attemptTimes, phaseField, runTimes } from '../../status-field.ts'
import { orchestrationRunPhase } from './phase.ts'

const stepStatus = object(
  'How one step stands.',
  {
    name: string('Name of the step.'),
    kind: string('What the step does.'),
    phase: optional(string('Pending, Running, Retrying, Succeeded, Failed, Cancelled or Skipped.')),
    message: optional(string('What is to be known about the step.')),
    ...attemptTimes,
    lastTransitionTime: optional(timestamp('When the phase last changed.')),
    attempt: optional(int32('Which attempt this is; the first is 1.')),
    nextRetryAt: optional(timestamp('When the next attempt begins.')),
    resourceRef: optional(observedObject('What the step has created, or waits for.')),
    outputs: optional(freeObject('What the step leaves to the steps after it.')),
  },
  { 'x-kubernetes-preserve-unknown-fields': true },
)

export const orchestrationRun = defineKind({
  ...platform,
  group: group.orchestration,
  kind: 'OrchestrationRun',
  plural: 'orchestrationruns',
  shortNames: ['orchrun'],
  description: 'One run through an Orchestration.',
  spec: withRules(
    object('What to run.', {
      orchestrationRef: localRef('The Orchestration to run.'),
      parameters: optional(map('Values for its steps.', string('Value of the parameter.'))),
      deliveryId: optional(string('Makes a second request for the same run recognisable.')),
      timeoutSeconds: optional(
        nonNegativeInt32('How long the run may take once started; 0 or left out means no limit.'),
      ),
      cancel: optional(boolean('Set to true to stop the run and its steps. Cannot be taken back.')),
    }),
    cancelIsFinal,
  ),
  specOptional: true,
  status: statusObject({
    phase: phaseField(orchestrationRunPhase),
    ...runTimes,
    runId: optional(string('Identifier of the run.')),
    stepStatuses: optional(list('How each step stands.', stepStatus)),
  }),
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
