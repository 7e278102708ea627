import {
  defineKind,
  freeValue,
  list,
  map,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { nonNegativeInt32 } from '../../integer.ts'
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { oneSystemPrompt, systemPromptFields } from '../system-prompt.ts'

const defaults = withRules(
  object('What a run gets when it does not say so itself.', {
    timeoutSeconds: optional(
      nonNegativeInt32('How long a run may take once started; 0 means no limit.'),
    ),
    retryLimit: optional(
      nonNegativeInt32('How often a failed run is tried again when it does not say retries.'),
    ),
    retryBackoffSeconds: optional(
      nonNegativeInt32('How long to wait before trying a failed run again.'),
    ),
    ...systemPromptFields,
  }),
  oneSystemPrompt,
)

const security = object('What runs of this agent may use.', {
  allowedServiceAccounts: optional(
    list(
      'Service accounts that runs may use; empty or left out, any.',
      string('Name of a service account.'),
    ),
  ),
  allowedSecrets: optional(
    list('Secrets that runs may use; empty or left out, any.', string('Name of a Secret.')),
  ),
})

export const agent = defineKind({
  ...platform,
  group: group.agents,
  kind: 'Agent',
  plural: 'agents',
  shortNames: ['ag'],
  description:
    'An agent that can be given work: which program runs it, with what settings, and what its runs may use.',
  spec: object('How this agent works.', {
    providerRef: localRef('The AgentProvider that says which program to run.'),
    config: optional(
      map('Settings of your own, available to templates as agent.config.', freeValue('Any value.')),
    ),
    env: optional(
      list(
        'Environment variables for every run of this agent.',
        object('One environment variable.', {
          name: string('Name of the variable.'),
          value: string('Value of the variable. Not the place for secrets.'),
        }),
      ),
    ),
    security: optional(security),
    memoryRef: optional(localRef('The Memory that runs use unless they name another.')),
    vcsRef: optional(
      localRef('The VersionControlProvider that runs use unless they name another.'),
    ),
    defaults: optional(defaults),
  }),
  status: statusObject({}),
  columns: [
    ready,
    { name: 'Provider', type: 'string', jsonPath: '.spec.providerRef.name' },
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Agent = ObjectOf<typeof agent>
