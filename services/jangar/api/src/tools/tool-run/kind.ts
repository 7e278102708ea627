import {
  defineKind,
  freeObject,
  map,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { int32 } from '../../integer.ts'
import {
  completionTime,
  phase,
  startTime,
  succeeded,
  succeededMessage,
  succeededReason,
} from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { runRules } from '../../run-rules.ts'
import { phaseField, runTimes } from '../../status-field.ts'
import { toolRunConditions } from './conditions.ts'
import { toolRunPhase } from './phase.ts'

export const toolRun = defineKind({
  ...platform,
  group: group.tools,
  kind: 'ToolRun',
  plural: 'toolruns',
  shortNames: ['tr'],
  description: 'A run of a Tool.',
  spec: object('Specification of the run.', {
    toolRef: localRef('The Tool to run.'),
    parameters: optional(
      map('Parameters for the templates of the Tool.', string('Value of the parameter.')),
    ),
    deliveryId: optional(
      string('Identifies the request, so that a repeated request is recognized.'),
    ),
    runtime: optional(freeObject('Settings of the runtime. Stored as they are, not interpreted.')),
  }),
  specOptional: true,
  status: withRules(
    statusObject({
      phase: phaseField(toolRunPhase),
      ...runTimes,
      runId: optional(string('Identifier of the run.')),
      exitCode: optional(int32('Exit code of the program.')),
      runtimeRef: optional(
        freeObject('The object that executes the run: type, name, namespace and uid.'),
      ),
    }),
    ...runRules(toolRunConditions),
  ),
  columns: [
    phase,
    { name: 'Tool', type: 'string', jsonPath: '.spec.toolRef.name' },
    succeeded,
    succeededReason,
    startTime,
    completionTime,
    succeededMessage,
  ],
  summary: 'Succeeded',
})

export type ToolRun = ObjectOf<typeof toolRun>
