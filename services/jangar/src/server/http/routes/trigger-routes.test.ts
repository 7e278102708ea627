import { startApiServer } from '@agents/apiserver'
import { type AgentRun, agentRun, type Schedule, schedule } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'

const runs = kindRef<AgentRun>(agentRun)
const schedules = kindRef<Schedule>(schedule)
const model = { namespace: 'red', name: 'model' }

let api: Awaited<ReturnType<typeof startTestApi>>

beforeAll(async () => {
  api = await startTestApi(startApiServer)
}, 120_000)

afterAll(() => api?.stop())

function createModel(text: string): Promise<AgentRun> {
  return api.admin.create(runs, {
    metadata: model,
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text } },
      runtime: { type: 'job' },
    },
  } as never)
}

function trigger() {
  const { adminToken: token } = api
  return api.ask('/v1/schedules/red/nightly/trigger', { method: 'POST', token })
}

test('a schedule that copies a run is triggered with this run, and not with one that was created again', async () => {
  const { metadata } = await createModel('Of the author')
  const nightly = await api.admin.create(schedules, {
    metadata: { namespace: 'red', name: 'nightly' },
    spec: { cron: '@daily', targetRef: { kind: 'AgentRun', name: 'model' } },
  } as never)
  const resolved = {
    ...{ type: 'TargetResolved', status: 'True', reason: 'Resolved', message: '' },
    ...{ lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 },
  }
  const status = { observedGeneration: 1, targetUid: metadata.uid, conditions: [resolved] }
  await api.admin.update(schedules, { ...nightly, status } as never, { subresource: 'status' })
  const first = await trigger()
  expect(first.json).toMatchObject({
    resource: { spec: { implementation: { inline: { text: 'Of the author' } } } },
  })
  await api.admin.delete(runs, model)
  await createModel('Of somebody else')
  const { status: code, text } = await trigger()
  expect({ code, text }).toEqual({
    code: 409,
    text: expect.stringContaining('AgentRun model was deleted and created again'),
  })
  const { items } = await api.admin.list(runs, { namespace: 'red' })
  expect(items.map(({ spec }) => spec.implementation?.inline.text).toSorted()).toEqual([
    'Of somebody else',
    'Of the author',
  ])
})
