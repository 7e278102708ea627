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
    'A command in a container that can be run on its own or as a step. A ToolRun runs it.',
  spec: object(
    'The command. Texts may hold templates over parameters, tool and toolRun, such as {{ parameters.x }}.',
    {
      image: optional(string('Image of the container. A tool cannot be run without one.')),
      command: optional(list('The program, instead of the image’s own.', string('One word.'))),
      args: optional(list('Arguments of the program.', string('One argument.'))),
      env: optional(
        list(
          'Environment variables of the program.',
          object('One environment variable.', {
            name: string('Name of the variable.'),
            value: string('Value of the variable. Not the place for secrets.'),
          }),
        ),
      ),
      serviceAccount: optional(string('Service account of the pod.')),
      workingDir: optional(string('Directory that the program starts in.')),
      timeoutSeconds: optional(int32('How long a run may take; 0 means no limit.')),
      ttlSecondsAfterFinished: optional(
        int32('How long the Job is kept after its result was recorded.'),
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
