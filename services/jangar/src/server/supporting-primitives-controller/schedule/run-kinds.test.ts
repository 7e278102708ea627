import type { Schedule } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { type RunKinds, runsOf } from './run-kinds.ts'

const schedule = {
  apiVersion: 'schedules.proompteng.ai/v1alpha1',
  kind: 'Schedule',
  metadata: { name: 'nightly', namespace: 'a', uid: 'u' },
  spec: { template: { kind: 'ToolRun' } },
} as Schedule
const { apiVersion, kind } = schedule
const owner = { apiVersion, kind, name: 'nightly', uid: 'u', controller: true }

function run(name: string, reference: object) {
  const ownerReferences = [{ ...owner, ...reference }]
  return { kind: 'ToolRun', metadata: { name, namespace: 'a', ownerReferences } }
}

test('a schedule counts the runs that it controls, and no others that name it', () => {
  const runs = [
    run('own', {}),
    run('of-another-group', { apiVersion: 'example.dev/v1' }),
    run('of-another-kind', { kind: 'Other' }),
    run('not-controlled', { controller: false }),
    run('of-another-name', { name: 'daily' }),
  ]
  const kinds = new Map([['AgentRun', { cache: { byIndex: () => runs } }]]) as unknown as RunKinds
  expect(runsOf(kinds, schedule).map(({ metadata }) => metadata.name)).toEqual(['own'])
})
