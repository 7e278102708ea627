import { defineKind, type ObjectOf } from '@agents/crd'
import { group, platform } from '../../group.ts'
import {
  completionTime,
  phase,
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
  description: 'One piece of work, done once by an agent.',
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
      name: 'Queue',
      type: 'integer',
      jsonPath: '.status.queue.position',
      description: 'Its place in the queue while it waits for one.',
      priority: 1,
    },
    {
      name: 'PullRequest',
      type: 'string',
      jsonPath: '.status.vcs.pullRequest.url',
      description: 'The pull request that it opened.',
      priority: 1,
    },
    succeededMessage,
  ],
  summary: 'Succeeded',
})

export type AgentRun = ObjectOf<typeof agentRun>
