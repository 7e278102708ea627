import { agentRun, orchestrationRun } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { expect, test } from 'vitest'
import { sourceLabel } from '../import/imported-spec.ts'
import { originOf, type RunCaches } from './started-runs.ts'

const graph = {
  metadata: { name: 'release', namespace: 'a', uid: 'u', labels: { [sourceLabel]: 'issues' } },
}
const caches = {
  agentRuns: { kind: kindRef(agentRun) },
  orchestrationRuns: {
    kind: kindRef(orchestrationRun),
    get: (key: string) => (key === 'a/release' ? graph : undefined),
  },
} as unknown as RunCaches

const owner = {
  apiVersion: 'orchestration.proompteng.ai/v1alpha1',
  kind: 'OrchestrationRun',
  name: 'release',
  uid: 'u',
  controller: true,
}

function originWith(changed: object) {
  const ownerReferences = [{ ...owner, ...changed }]
  return originOf(caches, { metadata: { name: 'step', namespace: 'a', ownerReferences } } as never)
}

test('a step belongs to whoever triggered its OrchestrationRun', () => {
  expect(originWith({})).toBe(graph)
  expect(originWith({ apiVersion: 'orchestration.proompteng.ai/v1' })).toBe(graph)
})

test.each([
  ['of another group', { apiVersion: 'example.dev/v1' }],
  ['that does not control it', { controller: false }],
  ['of the same name before it', { uid: 'before' }],
  ['that does not exist', { name: 'other' }],
])('a run with an owner %s does not', (_owner, changed) => {
  expect(originWith(changed)).toBeUndefined()
})
