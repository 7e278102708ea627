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
  { because: 'it is cut at a dot', agent: `${'a'.repeat(245)}.bcd`, name: /^a{245}-[0-9a-f]{6}$/ },
])(
  'a run is named after its agent in a name that the server takes: $because',
  ({ agent, name }) => {
    const { metadata } = composeRun({ agent, text: 'x', parameters: [] }, 'team')
    expect(metadata.name).toMatch(name)
  },
)

test('flags outrank a file, parameters one by one', () => {
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

test('what a flag says is to be done replaces what the file says, in whichever way', () => {
  const inFile = {
    implementation: { inline: { text: 'Old' } },
    workload: { image: 'a', resources: {} },
  }
  const other = { ...base, spec: { ...base.spec, ...inFile } }
  const named = composeRun({ spec: 'new', parameters: [], image: 'b' }, 'team', other)
  expect(named.spec).toMatchObject({ implementationSpecRef: { name: 'new' } })
  expect(named.spec).not.toHaveProperty('implementation')
  expect(named.spec.workload).toEqual({ image: 'b', resources: {} })
  const told = composeRun({ text: 'New', parameters: [] }, 'team', other)
  expect(told.spec).toMatchObject({ implementation: { inline: { text: 'New' } } })
  expect(told.spec).not.toHaveProperty('implementationSpecRef')
})

test.each([
  { because: 'no agent', wishes: { text: 'x' }, says: '--agent' },
  { because: 'no work', wishes: { agent: 'a' }, says: '--text' },
  { because: 'work in two ways', wishes: { agent: 'a', text: 'x', spec: 's' }, says: 'not both' },
  { because: 'empty work', wishes: { agent: 'a', text: ' ' }, says: '--text is empty' },
  {
    because: 'a parameter without a value',
    wishes: { agent: 'a', text: 'x', parameters: ['k'] },
    says: 'key=value',
  },
])('$because is refused', ({ wishes, says }) => {
  expect(() => composeRun({ parameters: [], ...wishes }, 'team')).toThrow(says)
})
