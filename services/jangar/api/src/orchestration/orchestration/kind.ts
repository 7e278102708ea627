import {
  boolean,
  defineKind,
  list,
  map,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { nonNegativeInt32 } from '../../integer.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { phaseField } from '../../status-field.ts'
import { orchestrationPhase } from './phase.ts'
import { orchestrationStep } from './step.ts'

const parameter = object('A parameter of the graph.', {
  name: string('Name of the parameter.'),
  description: optional(string('What the parameter is for.')),
  default: optional(string('Value of the parameter if the run does not set it.')),
  required: optional(boolean('If true, a run must set the parameter, unless it has a default.')),
  enum: optional(list('The permitted values. If omitted, any.', string('A permitted value.'))),
})

const policies = object(
  'Policies for the whole graph. Other keys are stored as they are, not interpreted.',
  {
    failFast: optional(
      boolean(
        'If true, a failed step cancels the steps that are running; otherwise they finish, and steps that do not depend on it still run. If omitted, defaults to true.',
      ),
    ),
    parallelism: optional(
      nonNegativeInt32('How many steps and items run at the same time. If 0 or omitted, no limit.'),
    ),
    timeoutSeconds: optional(
      nonNegativeInt32(
        'Timeout of a run in seconds, counted from its start, unless the run has its own. If 0 or omitted, no timeout.',
      ),
    ),
  },
  { 'x-kubernetes-preserve-unknown-fields': true },
)

export const orchestration = defineKind({
  ...platform,
  group: group.orchestration,
  kind: 'Orchestration',
  plural: 'orchestrations',
  shortNames: ['orch'],
  description:
    'A graph of steps: agent runs, tools, approvals and signals. An OrchestrationRun executes it.',
  spec: object('The graph.', {
    entrypoint: optional(
      string('Must be the name of a step. It has no effect: dependsOn defines the order of steps.'),
    ),
    parameters: optional(
      list(
        'The parameters of the graph. If any is declared, runs can set only declared ones.',
        parameter,
        {
          maxItems: 100,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      ),
    ),
    policies: optional(policies),
    steps: list(
      'The steps, in any order; dependsOn defines their dependencies.',
      orchestrationStep,
    ),
    outputs: optional(
      map(
        'Outputs of a run, by name. Values are templates such as {{ steps.plan.outputs.branch }}.',
        string('Template of the output.'),
        { maxProperties: 100 },
      ),
    ),
  }),
  specOptional: true,
  status: statusObject({ phase: phaseField(orchestrationPhase) }),
  columns: [
    phase,
    { name: 'Entrypoint', type: 'string', jsonPath: '.spec.entrypoint' },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Orchestration = ObjectOf<typeof orchestration>
