import { defineKind, type ObjectOf } from '@agents/crd'
import { group, platform } from '../../group.ts'
import {
  completionTime,
  nextRetry,
  phase,
  queuePosition,
  startTime,
  succeeded,
  succeededMessage,
  succeededReason,
} from '../../printer-column.ts'
import { agentRunSpec } from './spec.ts'
import { agentRunStatus } from './status.ts'

export const agentRun = defineKind({
  ...platform,
  group: group.agents,
  kind: 'AgentRun',
  plural: 'agentruns',
  shortNames: ['ar'],
  description: 'A single execution of a piece of work by an agent.',
  spec: agentRunSpec,
  status: agentRunStatus,
  columns: [
    phase,
    { name: 'Agent', type: 'string', jsonPath: '.spec.agentRef.name' },
    succeeded,
    succeededReason,
    startTime,
    completionTime,
    { name: 'Runtime', type: 'string', jsonPath: '.spec.runtime.type' },
    {
      name: 'Tokens',
      type: 'integer',
      jsonPath: '.status.usage.totalTokens',
      description: 'Input and output tokens, if the agent reported them.',
    },
    {
      name: 'Cost',
      type: 'string',
      jsonPath: '.status.usage.dollars',
      description: 'Cost in US dollars, if the agent reported it.',
    },
    nextRetry,
    queuePosition,
    {
      name: 'PullRequest',
      type: 'string',
      jsonPath: '.status.vcs.pullRequest.url',
      description: 'The pull request that the run opened.',
      priority: 1,
    },
    succeededMessage,
  ],
  summary: 'Succeeded',
})

export type AgentRun = ObjectOf<typeof agentRun>
