import { boolean, freeObject, list, map, object, optional, string, withRules } from '@agents/crd'
import { nonNegativeInt32 } from '../../integer.ts'
import { resources } from '../agent-run/workload.ts'
import { retryOn } from '../retry-on.ts'
import { oneSystemPrompt, systemPromptFields } from '../system-prompt.ts'

/** Bounded, because the admission policy checks the author's right to each Secret, and its cost is limited. */
export const mostDefaultSecrets = 8
export const mostDefaultPullSecrets = 2

const secretKey = object('A key of the Secret as an environment variable.', {
  key: string('Key of the Secret.', { minLength: 1, maxLength: 253 }),
  variable: string('Name of the variable.', {
    pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
    maxLength: 253,
  }),
})

const secrets = list(
  'Secrets that every run gets, in addition to its own. Variables from Secrets of the run take precedence.',
  object('A Secret in the same namespace.', {
    name: string('Name of the Secret.', { minLength: 1, maxLength: 253 }),
    keys: optional(
      list('Keys to use. If omitted, every key is an environment variable.', secretKey, {
        minItems: 1,
        maxItems: 64,
      }),
    ),
  }),
  { maxItems: mostDefaultSecrets },
)

const runtime = object(
  'Defaults for single settings of spec.runtime.config of a run. The same rules apply to them.',
  {
    serviceAccount: optional(string('Service account of the pod.')),
    automountServiceAccountToken: optional(
      boolean('If true, the token of the service account is mounted.'),
    ),
    nodeSelector: optional(
      map('Labels that the node must have.', string('Value of the label.'), { maxProperties: 100 }),
    ),
    tolerations: optional(
      list('Tolerations of the pod.', freeObject('A toleration.'), { maxItems: 100 }),
    ),
    affinity: optional(freeObject('Affinity of the pod.')),
    imagePullSecrets: optional(
      list(
        'Secrets that pull the image.',
        object('A Secret in the same namespace.', {
          name: string('Name of the Secret.', { minLength: 1, maxLength: 253 }),
        }),
        { maxItems: mostDefaultPullSecrets },
      ),
    ),
    priorityClassName: optional(string('Priority class of the pod.')),
    schedulerName: optional(string('Scheduler of the pod.')),
  },
)

export const agentDefaults = withRules(
  object('Defaults for fields that a run omits.', {
    timeoutSeconds: optional(
      nonNegativeInt32('Timeout of a run in seconds, counted from its start. 0: no timeout.'),
    ),
    startTimeoutSeconds: optional(
      nonNegativeInt32(
        'Seconds from the creation of a Job until its container must have started. 0: no limit.',
      ),
    ),
    retryLimit: optional(
      nonNegativeInt32('Number of retries of a failed run, or of each failed step of a workflow.'),
    ),
    retryBackoffSeconds: optional(
      nonNegativeInt32(
        'Seconds to wait before the first retry, twice as long before each further one.',
      ),
    ),
    retryOn: optional(
      retryOn('Classes of failures that are retried. If omitted, defaults to all classes.'),
    ),
    ...systemPromptFields,
    secrets: optional(secrets),
    model: optional(
      string('Model that the agent uses: the parameter model, unless the run sets it.', {
        minLength: 1,
        maxLength: 253,
      }),
    ),
    parameters: optional(
      map('Parameters that a run omits.', string('Value of the parameter; at most 2048 bytes.'), {
        maxProperties: 100,
      }),
    ),
    repository: optional(
      string(
        'Repository of runs, as owner/name, unless the run or its implementation specifies one.',
        { minLength: 1, maxLength: 2048 },
      ),
    ),
    image: optional(string('Image of the container.', { minLength: 1 })),
    resources: optional(resources),
    runtime: optional(runtime),
  }),
  oneSystemPrompt,
)
