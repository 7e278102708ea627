import {
  boolean,
  defineKind,
  list,
  map,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  type ValidationRule,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { artifactLocation } from '../artifact-location.ts'

const cli = object(
  'The agent CLI that agent-runner starts. It gets the task, the acceptance criteria and the system prompt by its own means, and its output is read for usage.',
  {
    name: oneOfStrings('Which CLI it is.', [
      'codex',
      'claude-code',
      'gemini-cli',
      'opencode',
      'aider',
    ]),
    testedVersions: optional(
      list(
        'Versions of the CLI that the provider was tested with. agentctl doctor warns about others.',
        string('A version, such as 1.2.3, or 1.2 for all its patches.'),
      ),
    ),
  },
)

const cliByRunner: ValidationRule = {
  rule: "!has(self.cli) || self.binary.endsWith('agent-runner')",
  message: 'cli requires agent-runner as the binary',
}

export const agentProvider = defineKind({
  ...platform,
  group: group.agents,
  kind: 'AgentProvider',
  plural: 'agentproviders',
  shortNames: ['ap'],
  description:
    'How to run an agent program: the command, its arguments and environment, its input files and its artifacts.',
  spec: withRules(
    object(
      'Specification of the program. Templates such as {{ parameters.stage }} can use agentRun, agent, implementation, parameters, inputs, memory and vcs.',
      {
        binary: string('The program to run, as a path or a name in the PATH of the image.'),
        argsTemplate: optional(
          list(
            'Arguments of the program, in order.',
            string('An argument; may contain templates.'),
          ),
        ),
        envTemplate: optional(
          map(
            'Environment variables of the program, by name.',
            string('Value of the variable; may contain templates.'),
          ),
        ),
        inputFiles: optional(
          list(
            'Files that are created before the program starts.',
            object('A file.', {
              path: string('Path of the file in the container.'),
              content: string('Content of the file; may contain templates.'),
            }),
          ),
        ),
        outputArtifacts: optional(
          list(
            'Artifacts of the program.',
            artifactLocation('An artifact to keep after the program has ended.', {
              key: 'Key in artifact storage, shown in status.artifacts of the run. If the file is uploaded, the name of the Artifact replaces it.',
              url: 'URL of the artifact, shown in status.artifacts of the run.',
            }),
          ),
        ),
        cli: optional(cli),
        usesSystemPrompt: optional(
          boolean(
            'Whether the program reads the system prompt from the file that AGENT_SYSTEM_PROMPT_PATH names. If omitted, true for a cli and for templates that name the variable.',
          ),
        ),
      },
    ),
    cliByRunner,
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
