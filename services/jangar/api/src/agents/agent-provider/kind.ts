import {
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
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { artifactLocation } from '../artifact-location.ts'

export const agentProvider = defineKind({
  ...platform,
  group: group.agents,
  kind: 'AgentProvider',
  plural: 'agentproviders',
  shortNames: ['ap'],
  description:
    'How to run one kind of agent program: the command, its arguments and environment, the files it reads and the files it leaves behind.',
  spec: object(
    'How the program is run. Texts may hold templates such as {{ parameters.stage }}, over agentRun, agent, implementation, parameters, inputs, memory and vcs.',
    {
      binary: string('The program to run, as a path or a name on the image’s PATH.'),
      argsTemplate: optional(
        list('Arguments of the program, in order.', string('One argument; may hold templates.')),
      ),
      envTemplate: optional(
        map(
          'Environment variables of the program, by name.',
          string('Value of the variable; may hold templates.'),
        ),
      ),
      inputFiles: optional(
        list(
          'Files that are there before the program starts.',
          object('One file.', {
            path: string('Where the file is put in the container.'),
            content: string('What the file holds; may hold templates.'),
          }),
        ),
      ),
      outputArtifacts: optional(
        list(
          'What the program leaves behind and is worth keeping.',
          artifactLocation('One thing to keep after the program has ended.'),
        ),
      ),
    },
  ),
  status: statusObject({}),
  columns: [
    ready,
    { name: 'Binary', type: 'string', jsonPath: '.spec.binary', priority: 1 },
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type AgentProvider = ObjectOf<typeof agentProvider>
