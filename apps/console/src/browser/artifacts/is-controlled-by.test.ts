import type { ApiObject } from '@agents/client'
import { expect, test } from 'vitest'
import { isControlledBy } from './is-controlled-by.ts'

const run: ApiObject = {
  ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
  metadata: { namespace: 'team', name: 'run', uid: 'u' },
}

function artifact(reference: object = {}, namespace = 'team'): ApiObject {
  const { apiVersion, kind } = run
  const owner = { apiVersion, kind, name: 'run', uid: 'u', controller: true, ...reference }
  return {
    ...{ apiVersion: 'artifacts.proompteng.ai/v1alpha1', kind: 'Artifact' },
    metadata: { namespace, name: 'output', ownerReferences: [owner] },
  }
}

test.each([
  { because: 'a kind of another group', forged: { apiVersion: 'example.com/v1' } },
  { because: 'a kind of the core group', forged: { apiVersion: 'v1' } },
  { because: 'another kind', forged: { kind: 'ToolRun' } },
  { because: 'another name', forged: { name: 'other' } },
  { because: 'an earlier run', forged: { uid: 'earlier' } },
  { because: 'a further owner', forged: { controller: false } },
])('an Artifact that names the run as $because is not one of the run', ({ forged }) => {
  expect(isControlledBy(artifact(forged), run)).toBe(false)
})

test('an Artifact of the run names it as its controller, in any version, in its namespace', () => {
  expect(isControlledBy(artifact(), run)).toBe(true)
  expect(isControlledBy(artifact({ apiVersion: 'agents.proompteng.ai/v1' }), run)).toBe(true)
  expect(isControlledBy(artifact({}, 'other'), run)).toBe(false)
})
