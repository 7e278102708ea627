import {
  defineKind,
  freeObject,
  map,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
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
import { phaseField, runTimes } from '../../status-field.ts'
import { toolRunPhase } from './phase.ts'

export const toolRun = defineKind({
  ...platform,
  group: group.tools,
  kind: 'ToolRun',
  plural: 'toolruns',
  shortNames: ['tr'],
  description: 'One run of a Tool.',
  spec: object('What to run.', {
    toolRef: localRef('The Tool to run.'),
    parameters: optional(map('Values for its templates.', string('Value of the parameter.'))),
    deliveryId: optional(string('Makes a second request for the same run recognisable.')),
    runtime: optional(freeObject('Settings of the runtime, kept as they are.')),
  }),
  specOptional: true,
  status: statusObject({
    phase: phaseField(toolRunPhase),
    ...runTimes,
    runId: optional(string('Identifier of the run.')),
    exitCode: optional(int32('Exit code of the program.')),
    runtimeRef: optional(freeObject('What carries the work: type, name, namespace and uid.')),
  }),
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
