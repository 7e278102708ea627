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
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { agentDefaults } from './defaults.ts'
import { boundedMcpSecrets, mcpServers } from './mcp-servers.ts'
import { skills } from './skills.ts'

const security = object('What runs of the agent may use.', {
  allowedServiceAccounts: optional(
    list(
      'Service accounts that runs may use. If empty or omitted, any.',
      string('Name of a service account.'),
    ),
  ),
  allowedSecrets: optional(
    list('Secrets that runs may use. If empty or omitted, any.', string('Name of a Secret.')),
  ),
})

export const agent = defineKind({
  ...platform,
  group: group.agents,
  kind: 'Agent',
  plural: 'agents',
  shortNames: ['ag'],
  description: 'An agent: the program that it runs, its settings, and what its runs may use.',
  spec: withRules(
    object('Specification of the agent.', {
      providerRef: localRef('The AgentProvider that defines the program to run.'),
      config: optional(
        map('Custom settings, available to templates as agent.config.', freeValue('Any value.')),
      ),
      env: optional(
        list(
          'Environment variables of all runs of the agent.',
          object('An environment variable.', {
            name: string('Name of the variable.'),
            value: string('Value of the variable. Do not put secrets here.'),
          }),
        ),
      ),
      security: optional(security),
      memoryRef: optional(localRef('Default Memory of runs.')),
      vcsRef: optional(localRef('Default VersionControlProvider of runs.')),
      defaults: optional(agentDefaults),
      mcpServers: optional(mcpServers),
      skills: optional(skills),
    }),
    boundedMcpSecrets,
  ),
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
