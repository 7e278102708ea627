import { expect, test } from 'vitest'
import { type ChildKind, childKinds, endOfChild } from './child-kinds.ts'

const { AgentRun: agentRuns } = childKinds({} as never)

function outputsOf(status: object): unknown {
  const conditions = ['Finished', 'Succeeded'].map((type) => ({ type, status: 'True' }))
  const child = { metadata: { name: 'child' }, status: { conditions, ...status } }
  const end = endOfChild(agentRuns as ChildKind, child as never)
  return end?.kind === 'succeeded' ? end.outputs : end
}

const pushed = { headBranch: 'agents/a', commit: 'c0ffee', pullRequest: { url: 'https://x/1' } }

test.each([
  {
    because: 'an agent reports what it likes',
    status: { outputs: { verdict: 'accept' }, vcs: pushed },
    outputs: {
      verdict: 'accept',
      branch: 'agents/a',
      commit: 'c0ffee',
      pullRequest: 'https://x/1',
    },
  },
  {
    because: 'an agent does not decide what was pushed',
    status: { outputs: { branch: 'main', commit: 'evil', pullRequest: 'x' }, vcs: pushed },
    outputs: { branch: 'agents/a', commit: 'c0ffee', pullRequest: 'https://x/1' },
  },
  {
    because: 'nothing was pushed, whatever the agent says',
    status: { outputs: { branch: 'main', file: 'a' }, vcs: { commit: 'base' } },
    outputs: { commit: 'base', file: 'a' },
  },
  {
    because: 'without a repository, these names are outputs as any other',
    status: { outputs: { branch: 'local', commit: 'c0ffee' } },
    outputs: { branch: 'local', commit: 'c0ffee' },
  },
  {
    because: 'its pull request is waited for',
    status: { vcs: { ...pushed, pullRequest: { state: 'Pending' } } },
    outputs: undefined,
  },
  {
    because: 'but not while the service is down',
    status: { vcs: { ...pushed, pullRequest: { state: 'Pending', message: 'not reachable' } } },
    outputs: { branch: 'agents/a', commit: 'c0ffee' },
  },
])('outputs of an AgentRun: $because', ({ status, outputs }) => {
  expect(outputsOf(status)).toEqual(outputs)
})

test.each([
  {
    step: { memoryRef: { name: 'notes' }, with: { op: 'put', key: 'a', value: 'b' } },
    memory: { memoryRef: { name: 'notes' }, operation: 'put', key: 'a', value: 'b' },
  },
  {
    step: { with: { op: 'search', query: 'a', limit: '3' } },
    memory: { operation: 'search', query: 'a', limit: 3 },
  },
  // The definition of ToolRuns refuses it.
  {
    step: { with: { op: 'search', query: 'a', limit: '1e3' } },
    memory: { operation: 'search', query: 'a', limit: '1e3' },
  },
])('the ToolRun of a MemoryOp: $step', ({ step, memory }) => {
  const spec = childKinds({} as never).MemoryOp?.specOf(
    { name: 'remember', kind: 'MemoryOp', ...step } as never,
    { spec: { priority: 3 } } as never,
  )
  expect(spec).toEqual({ memory, priority: 3 })
})
