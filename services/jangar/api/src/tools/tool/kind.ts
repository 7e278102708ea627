import {
  defineKind,
  list,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { int32 } from '../../integer.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { phaseField } from '../../status-field.ts'
import { toolPhase } from './phase.ts'

export const tool = defineKind({
  ...platform,
  group: group.tools,
  kind: 'Tool',
  plural: 'tools',
  shortNames: ['tl'],
  description:
    'A command in a container. A ToolRun executes it, on its own or as a step of an Orchestration.',
  spec: object(
    'Specification of the tool. Templates such as {{ parameters.x }} can use parameters, tool and toolRun.',
    {
      image: optional(string('Image of the container. Required to run the tool.')),
      command: optional(
        list(
          'The command. If omitted, defaults to the entrypoint of the image.',
          string('An element of the command.'),
        ),
      ),
      args: optional(list('Arguments of the program.', string('An argument.'))),
      env: optional(
        list(
          'Environment variables of the program.',
          object('An environment variable.', {
            name: string('Name of the variable.'),
            value: string('Value of the variable. Do not put secrets here.'),
          }),
        ),
      ),
      serviceAccount: optional(string('Service account of the pod.')),
      workingDir: optional(string('Working directory of the program.')),
      timeoutSeconds: optional(int32('Timeout of a run in seconds. 0: no timeout.')),
      ttlSecondsAfterFinished: optional(
        int32('Seconds after which the Job of a finished run is deleted.'),
      ),
    },
  ),
  specOptional: true,
  status: statusObject({ phase: phaseField(toolPhase) }),
  columns: [
    phase,
    { name: 'Image', type: 'string', jsonPath: '.spec.image' },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Tool = ObjectOf<typeof tool>
