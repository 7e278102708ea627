import type { AgentRun, Workspace } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { demandOf } from './run-demand.ts'

const shared = { spec: { accessModes: ['ReadWriteMany'] } } as Workspace
const caches = {
  workspaces: { get: (key: string) => (key === 'team/shared' ? shared : undefined) },
}

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
  expect(demandOf(run, caches)).toEqual({ agent: 'coder', repository: is, workspaces: [] })
})

test('a run counts against the Workspaces of all its steps, except those that runs may share', () => {
  const volume = (workspaceName: string, type = 'workspace') => ({ type, workspaceName })
  const spec = {
    agentRef: { name: 'coder' },
    workload: { volumes: [volume('cache'), volume('shared'), volume('no', 'emptyDir')] },
    workflow: { steps: [{ workload: { volumes: [volume('cache'), volume('b-later')] } }, {}] },
  }
  const run = { metadata: { name: 'fix', namespace: 'team' }, spec } as unknown as AgentRun
  expect(demandOf(run, caches)).toMatchObject({ workspaces: ['b-later', 'cache'] })
})
