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
import { cancelIsFinal, immutableFields } from '../../immutable.ts'
import { int32, nonNegativeInt32 } from '../../integer.ts'
import { localRef } from '../../reference.ts'
import { implementation } from '../implementation-spec/fields.ts'
import { oneSystemPrompt, systemPromptFields } from '../system-prompt.ts'
import { workload } from './workload.ts'

const parameters = (description: string) =>
  map(description, string('Value of the parameter; at most 2048 bytes.'), { maxProperties: 100 })

const implementationFields = {
  implementationSpecRef: optional(localRef('The ImplementationSpec that says what to do.')),
  implementation: optional(
    object('What to do, written out here instead of in an ImplementationSpec.', {
      inline: implementation('The work.'),
    }),
  ),
}

const runtime = object('How the work is run.', {
  type: oneOfStrings(
    'job runs one Job; workflow runs steps, one Job after the other; temporal and custom hand the work to another system.',
    ['workflow', 'job', 'temporal', 'custom'],
  ),
  // A map of nullable values, not one free object: CEL cannot look into either, but only with a map does Kubernetes'
  // equality notice one key exchanged for another, and without `nullable` a null value would turn every update into an error.
  config: optional(
    map(
      'Settings of the runtime, such as serviceAccount, nodeSelector, tolerations or backoffLimit for Jobs.',
      { ...freeValue('Any value.'), nullable: true },
    ),
  ),
})

const step = object('One step; runs when the one before it has succeeded.', {
  name: string('Name of the step, different from all others of the run.'),
  ...implementationFields,
  parameters: optional(parameters('Parameters of this step, added to those of the run.')),
  workload: optional(workload('Container of this step, instead of the run’s.')),
  retries: optional(int32('How often the step is tried again after it failed.')),
  retryBackoffSeconds: optional(int32('How long to wait before trying again.')),
  timeoutSeconds: optional(nonNegativeInt32('How long one attempt may take; 0 means no limit.')),
})

const policy = object('Rules that the run must satisfy before it starts and while it runs.', {
  budgetRef: optional(localRef('The Budget that the run is charged to.')),
  approvalPolicyRef: optional(localRef('The ApprovalPolicy that must let it pass.')),
  secretBindingRef: optional(localRef('The SecretBinding that must allow its Secrets.')),
})

const vcsPolicy = object('How the run may use version control.', {
  required: optional(boolean('Fail when it cannot be used, instead of running without it.')),
  mode: optional(oneOfStrings('How far the run may go.', ['read-write', 'read-only', 'none'])),
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
  'retries',
  'retryBackoffSeconds',
  'idempotencyKey',
] as const

const unchanged = immutableFields(
  fixed,
  'a run is not changed after it was created, but for cancel and ttlSecondsAfterFinished; create another run instead',
)

const workToDo: ValidationRule = {
  rule: 'has(self.implementation) || has(self.implementationSpecRef)',
  message: 'set implementationSpecRef or implementation',
}

/** Lists are bounded, far above real use, so that comparing two of them has a bounded estimated cost. */
export const agentRunSpec = withRules(
  object('What to run. Cannot be changed afterwards, but for cancel and ttlSecondsAfterFinished.', {
    agentRef: localRef('The Agent that does the work.'),
    ...implementationFields,
    runtime,
    workflow: optional(
      object('For runtime type workflow: what to do, step by step.', {
        steps: list('The steps, in order.', step, { maxItems: 1000 }),
      }),
    ),
    workload: optional(workload('Container that the work runs in.')),
    parameters: optional(
      parameters('Values for templates and for the agent, such as repository or stage.'),
    ),
    secrets: optional(
      list(
        'Secrets whose keys become environment variables of the run.',
        string('Name of a Secret in the same namespace.'),
        { maxItems: 1000 },
      ),
    ),
    ...systemPromptFields,
    memoryRef: optional(localRef('The Memory to use, instead of the agent’s.')),
    vcsRef: optional(
      localRef('The VersionControlProvider to use, instead of the work’s or the agent’s.'),
    ),
    vcsPolicy: optional(vcsPolicy),
    policy: optional(policy),
    priority: optional(
      integer('Runs of higher priority leave the queue first; left out, 0.', {
        format: 'int32',
      }),
    ),
    timeoutSeconds: optional(
      nonNegativeInt32(
        'How long the run may take once started; 0 means no limit. Left out, the agent’s default.',
      ),
    ),
    retries: optional(
      nonNegativeInt32(
        'How often the run is tried again after it failed. Left out, the agent’s default.',
      ),
    ),
    retryBackoffSeconds: optional(
      nonNegativeInt32('How long to wait before trying again. Left out, the agent’s default.'),
    ),
    cancel: optional(
      boolean('Set to true to stop the run, which then ends Cancelled. Cannot be taken back.'),
    ),
    idempotencyKey: optional(string('Makes a second request for the same run recognisable.')),
    ttlSecondsAfterFinished: optional(
      nonNegativeInt32(
        'How long the run is kept after it has ended; 0 keeps it for good. Left out, the platform’s setting, 30 days.',
      ),
    ),
  }),
  workToDo,
  oneSystemPrompt,
  cancelIsFinal,
  unchanged,
)
