import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { composeRun } from './compose-run.ts'

const base: AgentRun = {
  apiVersion: 'agents.proompteng.ai/v1alpha1',
  kind: 'AgentRun',
  metadata: { name: 'from-file' },
  spec: {
    agentRef: { name: 'smoke' },
    implementationSpecRef: { name: 'smoke' },
    runtime: { type: 'workflow' },
    parameters: { stage: 'plan', kept: 'yes' },
  },
}

test('flags become a run', () => {
  const text = `Do it.\n\nWell.`
  const run = composeRun(
    { agent: 'a', text, parameters: ['k=v=w'], image: 'i', timeoutMs: 1500 },
    'team',
  )
  expect(run).toMatchObject({
    metadata: { namespace: 'team', name: expect.stringMatching(/^a-[0-9a-f]{6}$/) },
    spec: {
      agentRef: { name: 'a' },
      implementation: { inline: { text, summary: 'Do it.' } },
      runtime: { type: 'job' },
      workload: { image: 'i' },
      parameters: { k: 'v=w' },
      timeoutSeconds: 2,
    },
  })
})

test.each([
  { because: 'it fits', agent: 'a'.repeat(246), name: /^a{246}-[0-9a-f]{6}$/ },
  { because: 'it is too long', agent: 'a'.repeat(253), name: /^a{246}-[0-9a-f]{6}$/ },
  {
    because: 'it is truncated at a dot',
    agent: `${'a'.repeat(245)}.bcd`,
    name: /^a{245}-[0-9a-f]{6}$/,
  },
])('a run has a valid name with that of its agent: $because', ({ agent, name }) => {
  const { metadata } = composeRun({ agent, text: 'x', parameters: [] }, 'team')
  expect(metadata.name).toMatch(name)
})

test('flags for Secrets, repository, branches, model, retries, priority and labels', () => {
  const run = composeRun(
    {
      agent: 'a',
      text: 'x',
      parameters: ['k=v'],
      secrets: ['openai', 'openai', 'npm'],
      repository: 'team/shop',
      branch: 'fix/it',
      base: 'release',
      model: 'small',
      retries: '2',
      priority: '-5',
      labels: ['team=a', 'x/y='],
    },
    'team',
  )
  expect(run.metadata.labels).toEqual({ team: 'a', 'x/y': '' })
  expect(run.spec).toMatchObject({
    secrets: ['openai', 'npm'],
    retries: 2,
    priority: -5,
    parameters: {
      k: 'v',
      repository: 'team/shop',
      head: 'fix/it',
      base: 'release',
      model: 'small',
    },
  })
})

test('flags are added to the Secrets and labels of a file, and replace aliases of parameters', () => {
  const metadata = { name: '', generateName: 'nightly-', labels: { a: '1', b: '1' } }
  const parameters = { repo: 'old/one', headRef: 'old', kept: 'yes' }
  const file = { ...base, metadata, spec: { ...base.spec, secrets: ['s'], parameters } }
  const run = composeRun(
    { repository: 'new/one', secrets: ['t'], labels: ['b=2'], parameters: [] },
    'team',
    file,
  )
  expect(run.metadata).toEqual({
    name: expect.stringMatching(/^nightly-[0-9a-f]{6}$/),
    namespace: 'team',
    labels: { a: '1', b: '2' },
  })
  expect(run.spec.secrets).toEqual(['s', 't'])
  expect(run.spec.parameters).toEqual({ repository: 'new/one', headRef: 'old', kept: 'yes' })
})

test('flags override a file, and single parameters', () => {
  const run = composeRun({ name: 'mine', agent: 'other', parameters: ['stage=test'] }, 'team', base)
  expect(run).toMatchObject({
    metadata: { name: 'mine', namespace: 'team' },
    spec: {
      agentRef: { name: 'other' },
      implementationSpecRef: { name: 'smoke' },
      runtime: { type: 'workflow' },
      parameters: { stage: 'test', kept: 'yes' },
    },
  })
})

test('a flag for the implementation replaces that of the file, in either form', () => {
  const inFile = {
    implementation: { inline: { text: 'Old' } },
    workload: { image: 'a', resources: {} },
  }
  const other = { ...base, spec: { ...base.spec, ...inFile } }
  const named = composeRun({ spec: 'new', parameters: [], image: 'b' }, 'team', other)
  expect(named.spec).toMatchObject({ implementationSpecRef: { name: 'new' } })
  expect(named.spec).not.toHaveProperty('implementation')
  expect(named.spec.workload).toEqual({ image: 'b', resources: {} })
  const composed = composeRun({ text: 'New', parameters: [] }, 'team', other)
  expect(composed.spec).toMatchObject({ implementation: { inline: { text: 'New' } } })
  expect(composed.spec).not.toHaveProperty('implementationSpecRef')
})

test.each([
  { because: 'no agent', request: { text: 'x' }, message: '--agent' },
  { because: 'no implementation', request: { agent: 'a' }, message: '--text' },
  {
    because: 'two implementations',
    request: { agent: 'a', text: 'x', spec: 's' },
    message: 'cannot be used together',
  },
  { because: 'an empty text', request: { agent: 'a', text: ' ' }, message: '--text is empty' },
  {
    because: 'a parameter without a value',
    request: { agent: 'a', text: 'x', parameters: ['k'] },
    message: 'KEY=VALUE',
  },
  {
    because: 'a label without a value',
    request: { agent: 'a', text: 'x', labels: ['k'] },
    message: '--label must be KEY=VALUE',
  },
  {
    because: 'a repository twice',
    request: { agent: 'a', text: 'x', repository: 'a/b', parameters: ['repo=c/d'] },
    message: '--repo and --param repo cannot be used together',
  },
  {
    because: 'an empty branch',
    request: { agent: 'a', text: 'x', branch: ' ' },
    message: '--branch is empty',
  },
  ...['-1', '1.5', 'many', '99999999999'].map((retries) => ({
    because: `${retries} retries`,
    request: { agent: 'a', text: 'x', retries },
    message: '--retries must be a whole number',
  })),
])('$because is rejected', ({ request, message }) => {
  expect(() => composeRun({ parameters: [], ...request }, 'team')).toThrow(message)
})
