import {
  boolean,
  defineKind,
  integer,
  list,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  withRules,
} from '@agents/crd'
import { resources } from '../../agents/agent-run/workload.ts'
import { declaredParameters } from '../../declared-parameters.ts'
import { group, platform } from '../../group.ts'
import { int32, nonNegativeInt32 } from '../../integer.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { phaseField } from '../../status-field.ts'
import { toolPhase } from './phase.ts'

/** Bounded, because the admission policy checks the author's right to each Secret, and its cost is limited. */
export const mostToolSecrets = 12

const secretKeyRef = object('The key of a Secret.', {
  name: string('Name of the Secret, in the same namespace.', { minLength: 1, maxLength: 253 }),
  key: string('Key of the Secret.', { minLength: 1, maxLength: 253 }),
})

const variable = withRules(
  object('An environment variable.', {
    name: string('Name of the variable.'),
    value: optional(string('Value of the variable. Do not put secrets here.')),
    valueFrom: optional(
      object('Where the value of the variable comes from.', { secretKeyRef: secretKeyRef }),
    ),
  }),
  {
    rule: 'has(self.value) != has(self.valueFrom)',
    message: 'set value or valueFrom, and only one of them',
  },
)

const environment = withRules(
  list('Environment variables of the program.', variable, { maxItems: 200 }),
  {
    rule: `self.filter(one, has(one.valueFrom)).size() <= ${mostToolSecrets}`,
    message: `at most ${mostToolSecrets} variables can come from Secrets`,
  },
)

function id(description: string) {
  return integer(description, { format: 'int32', minimum: 1 })
}

const podSecurityContext = object(
  'User and groups of the pod. It always satisfies the restricted Pod Security Standard.',
  {
    runAsUser: optional(id('User of the program. If omitted, defaults to 65532.')),
    runAsGroup: optional(id('Group of the program. If omitted, defaults to 65532.')),
    fsGroup: optional(id('Group of the volumes. If omitted, defaults to 65532.')),
  },
)

export const tool = defineKind({
  ...platform,
  group: group.tools,
  kind: 'Tool',
  plural: 'tools',
  shortNames: ['tl'],
  description:
    'A command in a container. A ToolRun executes it, on its own or as a step of an Orchestration.',
  spec: object(
    'Specification of the tool. Templates such as {{ parameters.x }} in command, args and the values of env can use parameters, tool and toolRun. Each becomes a part of one argument or value, and is never split.',
    {
      image: optional(string('Image of the container. Required to run the tool.')),
      command: optional(
        list(
          'The command. If omitted, defaults to the entrypoint of the image.',
          string('An element of the command.'),
        ),
      ),
      args: optional(list('Arguments of the program.', string('An argument.'))),
      parameters: optional(
        declaredParameters(
          'Parameters of the tool. If set, a run can use no others. Each parameter is the environment variable TOOL_PARAM_<NAME>, with the name in upper case, too.',
        ),
      ),
      env: optional(environment),
      serviceAccount: optional(
        string('Service account of the pod. The same rules apply to it as to that of an AgentRun.'),
      ),
      automountServiceAccountToken: optional(
        boolean(
          'If true, the token of the service account is mounted. If omitted, defaults to false.',
        ),
      ),
      podSecurityContext: optional(podSecurityContext),
      workingDir: optional(
        string('Working directory of the program. If omitted, defaults to that of the image.'),
      ),
      resources: optional(resources),
      timeoutSeconds: optional(
        int32('Timeout of a run in seconds, counted from its start. If 0 or omitted, no timeout.'),
      ),
      startTimeoutSeconds: optional(
        nonNegativeInt32(
          'Seconds from the creation of a Job until its container must have started; scheduling and pulling the image count. 0: no limit. If omitted, defaults to 900.',
        ),
      ),
      retries: optional(
        nonNegativeInt32(
          'Number of retries after a failure, each with a Job of its own. If omitted, defaults to 0: a tool may have effects that must not be repeated.',
        ),
      ),
      retryBackoffSeconds: optional(
        nonNegativeInt32(
          'Seconds to wait before the first retry, twice as long before each further one, up to an hour; a random part of up to a quarter is added.',
        ),
      ),
      ttlSecondsAfterFinished: optional(
        int32(
          'Seconds after which the Jobs of a finished run are deleted. 0: with the run. If omitted, defaults to the setting of the platform.',
        ),
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
