import type { Agent, AgentRun, ImplementationSpec, Workspace } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { demandOf } from './run-demand.ts'

const objects: Readonly<Record<string, unknown>> = {
  'team/coder': { spec: { defaults: { repository: 'of/agent' } } } satisfies PartOf<Agent>,
  'team/by-parameter': { spec: { defaults: { parameters: { repo: 'of/parameter' } } } },
  'team/issue': { spec: issue('of/issue#1') } satisfies PartOf<ImplementationSpec>,
  'team/shared': { spec: { accessModes: ['ReadWriteMany'] } } satisfies PartOf<Workspace>,
}

type PartOf<Kind extends { readonly spec: unknown }> = { readonly spec: Partial<Kind['spec']> }

function issue(externalId: string) {
  return { text: 'Fix it', source: { provider: 'github' as const, externalId } }
}

const cache = { kind: { kind: 'Any' }, get: (key: string) => objects[key] }
const caches = {
  agents: cache,
  implementationSpecs: cache,
  workspaces: cache,
} as unknown as Parameters<typeof demandOf>[1]

const decided = { runtimeRef: { type: 'job', repository: 'decided/name' } }
const inline = { implementation: { inline: issue('of/inline#1') } }

test.each([
  { because: 'nothing names one', is: undefined },
  { because: 'a parameter does', spec: { parameters: { repo: 'a/b' } }, is: 'a/b' },
  {
    because: 'a blank one names nothing',
    spec: { parameters: { repository: ' ', issueRepository: 'a/b' } },
    is: 'a/b',
  },
  {
    because: 'its suffix is not a part of its name',
    spec: { parameters: { repository: 'a/b.git' } },
    is: 'a/b',
  },
  {
    because: 'the resolved repository wins over the parameter',
    spec: { parameters: { repository: 'a/b' } },
    status: { vcs: { repository: 'c/d' } },
    is: 'c/d',
  },
  {
    because: 'a repository that the agent reports does not move the run',
    spec: { parameters: { repository: 'a/b' } },
    status: { ...decided, vcs: { repository: 'elsewhere/name' } },
    is: 'decided/name',
  },
  {
    because: 'the agent names one now, and the run has started without one',
    spec: { agentRef: { name: 'coder' } },
    status: { runtimeRef: { type: 'job' } },
    is: undefined,
  },
  { because: 'the agent names one', spec: { agentRef: { name: 'coder' } }, is: 'of/agent' },
  {
    because: 'a default of the agent names one',
    spec: { agentRef: { name: 'by-parameter' } },
    is: 'of/parameter',
  },
  {
    because: 'the issue to work on wins over the agent',
    spec: { agentRef: { name: 'coder' }, implementationSpecRef: { name: 'issue' } },
    is: 'of/issue',
  },
  { because: 'its task is in the run', spec: inline, is: 'of/inline' },
  {
    because: 'its first step names one',
    spec: {
      ...{ agentRef: { name: 'coder' }, runtime: { type: 'workflow' } },
      workflow: { steps: [{ name: 'a', parameters: { repo: 'of/step' } }, { name: 'b' }] },
    },
    is: 'of/step',
  },
  {
    because: 'the task of its first step does',
    spec: { runtime: { type: 'workflow' }, workflow: { steps: [{ name: 'a', ...inline }] } },
    is: 'of/inline',
  },
])('the repository that a run counts against is $is: $because', ({ spec, status, is }) => {
  const run = {
    metadata: { name: 'fix', namespace: 'team' },
    spec: { agentRef: { name: 'unknown' }, runtime: { type: 'job' }, ...spec },
    status,
  } as unknown as AgentRun
  expect(demandOf(run, caches).repository).toBe(is)
})

test('a run counts against the Workspaces of all its steps, except those that runs may share', () => {
  const volume = (workspaceName: string, type = 'workspace') => ({ type, workspaceName })
  const spec = {
    ...{ agentRef: { name: 'coder' }, runtime: { type: 'workflow' } },
    workload: { volumes: [volume('cache'), volume('shared'), volume('no', 'emptyDir')] },
    workflow: { steps: [{ workload: { volumes: [volume('cache'), volume('b-later')] } }, {}] },
  }
  const run = { metadata: { name: 'fix', namespace: 'team' }, spec } as unknown as AgentRun
  const repository = 'of/agent'
  expect(demandOf(run, caches)).toEqual({
    agent: 'coder',
    repository,
    workspaces: ['b-later', 'cache'],
  })
})
