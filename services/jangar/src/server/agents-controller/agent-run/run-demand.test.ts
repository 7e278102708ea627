import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { demandOf } from './run-demand.ts'

const decided = { runtimeRef: { type: 'job', repository: 'decided/name' } }

test.each([
  { because: 'nothing names one', is: undefined },
  { because: 'a parameter does', parameters: { repo: 'a/b' }, is: 'a/b' },
  {
    because: 'a blank one names nothing',
    parameters: { repository: ' ', issueRepository: 'a/b' },
    is: 'a/b',
  },
  {
    because: 'the resolved repository wins over the parameter',
    parameters: { repository: 'a/b' },
    status: { vcs: { repository: 'c/d' } },
    is: 'c/d',
  },
  {
    because: 'a repository that the agent reports does not move the run',
    parameters: { repository: 'a/b' },
    status: { ...decided, vcs: { repository: 'elsewhere/name' } },
    is: 'decided/name',
  },
])('the repository that a run counts against is $is: $because', ({ parameters, status, is }) => {
  const spec = { agentRef: { name: 'coder' }, ...(parameters && { parameters }) }
  const run = { metadata: { name: 'fix' }, spec, status } as unknown as AgentRun
  expect(demandOf(run)).toEqual({ agent: 'coder', repository: is })
})
