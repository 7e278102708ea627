import { agentRun } from '@agents/jangar-api'
import type { KubeClient, KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { agentRuns } from '../run/run-kind.ts'
import { artifactsOf } from './run-artifacts.ts'

const { apiVersion, kind } = agentRun
const run = { apiVersion, kind, metadata: { namespace: 'team', name: 'run', uid: 'u' } }

function artifact(name: string, second: number, reference: object = {}): KubeObject {
  const owner = { apiVersion, kind, name: 'run', uid: 'u', controller: true, ...reference }
  return {
    ...{ apiVersion: 'artifacts.proompteng.ai/v1alpha1', kind: 'Artifact' },
    metadata: {
      ...{ namespace: 'team', name, ownerReferences: [owner] },
      creationTimestamp: `2026-01-01T00:00:0${second}Z`,
    },
  }
}

test('the artifacts of a run are those that it controls, the oldest first', async () => {
  const items = [
    artifact('second', 2),
    artifact('first', 1),
    artifact('of-another-group', 3, { apiVersion: 'example.com/v1' }),
    artifact('of-another-kind', 3, { kind: 'ToolRun' }),
    artifact('of-another-owner', 3, { controller: false }),
  ]
  const client = { get: async () => run, list: async () => ({ items }) } as unknown as KubeClient
  const { signal } = new AbortController()
  const found = await artifactsOf(client, run.metadata, agentRuns, signal)
  expect(found.map(({ metadata }) => metadata.name)).toEqual(['first', 'second'])
})
