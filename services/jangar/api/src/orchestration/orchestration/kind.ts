import {
  defineKind,
  freeObject,
  list,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { phaseField } from '../../status-field.ts'
import { orchestrationPhase } from './phase.ts'
import { orchestrationStep } from './step.ts'

export const orchestration = defineKind({
  ...platform,
  group: group.orchestration,
  kind: 'Orchestration',
  plural: 'orchestrations',
  shortNames: ['orch'],
  description:
    'A graph of steps: agent runs, tools, approvals and signals. An OrchestrationRun executes it.',
  spec: object('The graph.', {
    entrypoint: optional(string('Name of the first step.')),
    policies: optional(
      freeObject('Policies for the whole graph. Stored as they are, not interpreted.'),
    ),
    steps: list(
      'The steps, in any order; dependsOn defines their dependencies.',
      orchestrationStep,
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
