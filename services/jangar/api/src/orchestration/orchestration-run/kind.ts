import {
  atomic,
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
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { cancelIsFinal, immutableFields, specStays } from '../../immutable.ts'
import { int32, nonNegativeInt32, nonNegativeInt64 } from '../../integer.ts'
import {
  completionTime,
  phase,
  startTime,
  succeeded,
  succeededMessage,
  succeededReason,
} from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { runPolicy } from '../../run-policy.ts'
import { runRules } from '../../run-rules.ts'
import { phaseField, runTimes } from '../../status-field.ts'
import { orchestrationRunConditions } from './conditions.ts'
import { orchestrationRunPhase } from './phase.ts'
import { stepStatus } from './step-status.ts'

const resumeFrom = object(
  'A finished run of the same Orchestration. Steps that succeeded there with the same inputs are taken over with their outputs instead of running again. Approvals are requested again.',
  {
    name: string('Name of the finished run, in the same namespace.'),
    steps: optional(
      list(
        'Steps that run again in any case, and all steps that depend on them.',
        string('Name of a step.'),
        { maxItems: 500 },
      ),
    ),
  },
)

const frozenGraph = object(
  'The Orchestration as it was when the run was accepted. Later changes do not affect the run.',
  {
    generation: optional(nonNegativeInt64('Generation of the Orchestration.')),
    digest: optional(string('SHA-256 of the spec in hexadecimal.')),
    spec: optional(freeObject('Spec of the Orchestration.')),
  },
)

const unchanged = immutableFields(
  [
    'orchestrationRef',
    'parameters',
    'deliveryId',
    'timeoutSeconds',
    'policy',
    'priority',
    'resumeFrom',
  ],
  'the field is immutable: only cancel and ttlSecondsAfterFinished of a run can be changed; create another run instead',
)

export const orchestrationRun = defineKind({
  ...platform,
  group: group.orchestration,
  kind: 'OrchestrationRun',
  plural: 'orchestrationruns',
  shortNames: ['orchrun'],
  description: 'A run of an Orchestration.',
  spec: withRules(
    object('Specification of the run. Immutable, except for cancel and ttlSecondsAfterFinished.', {
      orchestrationRef: localRef('The Orchestration to run.'),
      parameters: optional(
        map('Parameters for the steps.', string('Value of the parameter; at most 2048 bytes.')),
      ),
      deliveryId: optional(string('Identifier of the request. It is stored and not interpreted.')),
      timeoutSeconds: optional(
        nonNegativeInt32(
          'Timeout of the run in seconds, counted from its start. 0: no timeout. If omitted, defaults to that of the Orchestration.',
        ),
      ),
      policy: optional(runPolicy),
      priority: optional(
        int32(
          'Priority of the AgentRuns of the steps in the queue; higher values go first. If omitted, defaults to 0.',
        ),
      ),
      resumeFrom: optional(resumeFrom),
      cancel: optional(boolean('If true, the run and its steps are stopped. Cannot be reverted.')),
      ttlSecondsAfterFinished: optional(
        nonNegativeInt32(
          'Seconds after which the finished run is deleted. 0: never. If omitted, defaults to the setting of the platform, which is 30 days by default.',
        ),
      ),
    }),
    cancelIsFinal,
    unchanged,
  ),
  specOptional: true,
  rules: [specStays],
  status: withRules(
    statusObject({
      phase: phaseField(orchestrationRunPhase),
      ...runTimes,
      runId: optional(string('Identifier of the run.')),
      orchestration: optional(atomic(frozenGraph)),
      stepStatuses: optional(list('Status of each step.', stepStatus)),
      outputs: optional(
        atomic(
          map(
            'Outputs of the run, as the Orchestration defines them.',
            string('Value of the output.'),
          ),
        ),
      ),
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
