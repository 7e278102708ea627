import {
  boolean,
  freeValue,
  integer,
  list,
  map,
  object,
  oneOfStrings,
  optional,
  string,
  type ValidationRule,
  withRules,
} from '@agents/crd'
import { modelAmounts } from '../../budgets/budget/kind.ts'
import { cancelIsFinal, immutableFields } from '../../immutable.ts'
import { int32, nonNegativeInt32 } from '../../integer.ts'
import { localRef } from '../../reference.ts'
import { branchParameterNames } from '../branch-name.ts'
import { implementation } from '../implementation-spec/fields.ts'
import { retryOn } from '../retry-on.ts'
import { oneSystemPrompt, systemPromptFields } from '../system-prompt.ts'
import { workload } from './workload.ts'

function parameters(description: string) {
  return map(description, string('Value of the parameter; at most 2048 bytes.'), {
    maxProperties: 100,
  })
}

const implementationFields = {
  implementationSpecRef: optional(localRef('The ImplementationSpec to execute.')),
  implementation: optional(
    object('The work to do, inline instead of in an ImplementationSpec.', {
      inline: implementation('The work.'),
    }),
  ),
}

const runtime = object('How the work is executed.', {
  type: oneOfStrings(
    'Type of the runtime. job runs one Job; workflow runs steps one after the other, each as a Job; temporal and custom are reserved: a run with them is refused (UnsupportedRuntime).',
    ['workflow', 'job', 'temporal', 'custom'],
  ),
  // A map of nullable values, not one free object: CEL cannot look into either, but only with a map does Kubernetes'
  // equality notice one key exchanged for another, and without `nullable` a null value would turn every update into an
  // error.
  config: optional(
    map(
      'Settings of the runtime. For Jobs: serviceAccount, nodeSelector, tolerations, backoffLimit and others.',
      { ...freeValue('Any value.'), nullable: true },
    ),
  ),
})

const step = object('A step. It runs after the previous one succeeded.', {
  name: string('Name of the step, unique within the run.'),
  ...implementationFields,
  parameters: optional(parameters('Parameters of the step, added to those of the run.')),
  workload: optional(workload('Container of the step. If omitted, defaults to that of the run.')),
  retries: optional(
    int32('Number of retries after a failure. If omitted, defaults to that of the run.'),
  ),
  retryBackoffSeconds: optional(
    int32(
      'Seconds to wait before the first retry, twice as long before each further one. If omitted, defaults to that of the run.',
    ),
  ),
  retryOn: optional(
    retryOn('Classes of failures that are retried. If omitted, defaults to those of the run.'),
  ),
  timeoutSeconds: optional(nonNegativeInt32('Timeout of one attempt in seconds. 0: no timeout.')),
})

const policy = object('Policies that apply to the run.', {
  budgetRef: optional(
    localRef('A Budget that the run counts against, beside those whose scope includes it.'),
  ),
  reserve: optional(
    modelAmounts(
      'What the run reserves of its Budgets until it ends, or the reservation of a Budget if that is larger.',
    ),
  ),
  approvalPolicyRef: optional(localRef('The ApprovalPolicy that must approve the run.')),
  secretBindingRef: optional(
    localRef(
      'The SecretBinding that must allow all Secrets of the run. If omitted, all bindings whose subject the run is count.',
    ),
  ),
})

const vcsPolicy = object('How the run uses version control.', {
  required: optional(
    boolean(
      'If true, the run fails if version control cannot be used, instead of running without it.',
    ),
  ),
  mode: optional(oneOfStrings('Access to the repository.', ['read-write', 'read-only', 'none'])),
  requireChanges: optional(
    boolean(
      'If true, the run fails with reason NoChanges if it pushed no commits. Requires write access to a repository.',
    ),
  ),
})

const fixed = [
  'agentRef',
  'implementationSpecRef',
  'implementation',
  'runtime',
  'workflow',
  'workload',
  'parameters',
  'secrets',
  'systemPrompt',
  'systemPromptRef',
  'memoryRef',
  'vcsRef',
  'vcsPolicy',
  'policy',
  'priority',
  'timeoutSeconds',
  'startTimeoutSeconds',
  'retries',
  'retryBackoffSeconds',
  'retryOn',
  'idempotencyKey',
] as const

const unchanged = immutableFields(
  fixed,
  'the field is immutable: only cancel and ttlSecondsAfterFinished of a run can be changed; create another run instead',
)

const workToDo: ValidationRule = {
  rule: 'has(self.implementation) || has(self.implementationSpecRef)',
  message: 'set implementationSpecRef or implementation',
}

/** Lists are bounded, far above real use, so that comparing two of them has a bounded estimated cost. */
export const agentRunSpec = withRules(
  object('Specification of the run. Immutable, except for cancel and ttlSecondsAfterFinished.', {
    agentRef: localRef('The Agent that executes the run.'),
    ...implementationFields,
    runtime,
    workflow: optional(
      object('The steps of a run with runtime type workflow.', {
        steps: list('The steps, in order.', step, { maxItems: 1000 }),
      }),
    ),
    workload: optional(workload('Container of the run.')),
    parameters: optional(
      withRules(
        parameters('Parameters for templates and for the agent, such as repository or stage.'),
        ...branchParameterNames,
      ),
    ),
    secrets: optional(
      list(
        'Secrets whose keys are environment variables of the container.',
        string('Name of a Secret in the same namespace.'),
        { maxItems: 1000 },
      ),
    ),
    ...systemPromptFields,
    memoryRef: optional(localRef('The Memory to use. If omitted, defaults to that of the agent.')),
    vcsRef: optional(
      localRef(
        'The VersionControlProvider to use. If omitted, defaults to that of the implementation or of the agent.',
      ),
    ),
    vcsPolicy: optional(vcsPolicy),
    policy: optional(policy),
    priority: optional(
      integer('Priority in the queue; higher values go first. If omitted, defaults to 0.', {
        format: 'int32',
      }),
    ),
    timeoutSeconds: optional(
      nonNegativeInt32(
        'Timeout of the run in seconds, counted from its start. 0: no timeout. If omitted, defaults to that of the agent.',
      ),
    ),
    startTimeoutSeconds: optional(
      nonNegativeInt32(
        'Seconds from the creation of a Job until its container must have started; scheduling and pulling the image count. 0: no limit. If omitted, defaults to that of the agent, or to 900.',
      ),
    ),
    retries: optional(
      nonNegativeInt32(
        'Number of retries after a failure, for a workflow of each step. If omitted, defaults to that of the agent.',
      ),
    ),
    retryBackoffSeconds: optional(
      nonNegativeInt32(
        'Seconds to wait before the first retry, twice as long before each further one, up to an hour; a random part of up to a quarter is added. If omitted, defaults to that of the agent.',
      ),
    ),
    retryOn: optional(
      retryOn(
        'Classes of failures that are retried. An invalid specification and a violated policy never are. If omitted, defaults to those of the agent, or to all classes.',
      ),
    ),
    cancel: optional(
      boolean('If true, the run is stopped and finishes as Cancelled. Cannot be reverted.'),
    ),
    idempotencyKey: optional(
      string('Identifies the request: a second run of the agent with the same key is rejected.'),
    ),
    ttlSecondsAfterFinished: optional(
      nonNegativeInt32(
        'Seconds after which the finished run is deleted. 0: never. If omitted, defaults to the setting of the platform, which is 30 days by default.',
      ),
    ),
  }),
  workToDo,
  oneSystemPrompt,
  cancelIsFinal,
  unchanged,
)
