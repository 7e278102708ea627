import { createHmac, randomUUID } from 'node:crypto'
import type { AgentRun } from '@agents/jangar-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { type SourceBed, secret, startSourceBed } from './source-bed.ts'

const namespace = 'generic-sources'
const patience = { timeoutMs: 60_000, everyMs: 100 }
let bed: SourceBed

beforeAll(async () => {
  bed = await startSourceBed(namespace)
  const parameters = { repository: 'owner/app' }
  const spec = { agentRef: { name: 'coder' }, runtime: { type: 'job' }, parameters }
  const actors = { users: ['Operator'] }
  const trigger = { concurrency: 'Replace', actors, template: { spec } }
  await bed.source('tasks', {
    ...{ provider: 'generic', webhook: { enabled: true }, scope: { labels: ['agent'] } },
    mapping: { text: 'body', summary: 'externalId', description: 'url' },
    triggers: [
      { name: 'opened', event: 'Opened', ...trigger },
      { name: 'label', event: 'Labelled', label: 'agent', ...trigger },
    ],
  })
})

afterAll(() => bed?.stop())

let moments = 0

function task(id: string, change: object = {}) {
  moments += 1
  return {
    ...{ id, title: 'Fix it', body: 'It is broken.', url: `https://tasks.example/${id}` },
    ...{ labels: ['agent'], state: 'open' },
    updatedAt: new Date(Date.UTC(2026, 10, 17) + moments * 1000).toISOString(),
    ...change,
  }
}

async function send(payload: object): Promise<void> {
  const body = JSON.stringify(payload)
  const id = randomUUID()
  await until(
    async () => {
      const time = String(Math.floor(Date.now() / 1000))
      const signed = createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64')
      const { status } = await fetch(bed.hookUrl('generic', 'tasks'), {
        ...{ method: 'POST', body },
        headers: {
          ...{ 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': time },
          'webhook-signature': `v1,${signed}`,
        },
      })
      return status === 202
    },
    'the delivery is not taken',
    patience,
  )
}

async function runsOf(id: string): Promise<readonly AgentRun[]> {
  const { items } = await bed.client.list(runKind, { namespace })
  return items.filter(({ spec }) => spec.implementation?.inline.source?.externalId === id)
}

async function become(id: string, expected: readonly string[]): Promise<void> {
  const found = async () =>
    (await runsOf(id))
      .map(({ metadata }) => metadata.annotations?.['agents.proompteng.ai/trigger'] ?? '')
      .toSorted()
  await until(
    async () => JSON.stringify(await found()) === JSON.stringify(expected),
    `${id} never had ${expected.join()}`,
    patience,
  )
}

async function stateBecomes(id: string, state: string): Promise<void> {
  await until(
    async () => (await bed.specs('tasks'))[id]?.source?.state === state,
    `${id} is not ${state}`,
    patience,
  )
}

describe('nothing is started', () => {
  test.each([
    {
      because: 'the actor is not named',
      id: 'A-1',
      change: { action: 'opened', actor: 'stranger' },
    },
    { because: 'there is no actor', id: 'A-2', change: { action: 'opened' } },
    {
      because: 'the actor is no text',
      id: 'A-3',
      change: { action: 'opened', actor: ['operator'] },
    },
    {
      because: 'the label is another one',
      ...{ id: 'A-4', change: { action: 'labelled', label: 'bug', actor: 'operator' } },
    },
    {
      because: 'the issue has not got the label that was added',
      ...{
        id: 'A-5',
        change: { action: 'labelled', label: 'agent', labels: [], actor: 'operator' },
      },
    },
    {
      because: 'the issue is closed',
      ...{ id: 'A-6', change: { action: 'opened', state: 'closed', actor: 'operator' } },
    },
    { because: 'it was only changed', id: 'A-7', change: { actor: 'operator' } },
  ])('when $because', async ({ id, change }) => {
    await send(task(id, change))
    // What comes later about the issue is processed later.
    await send(task(id, { action: 'labelled', label: 'agent', actor: 'operator' }))
    await become(id, ['label'])
  })
})

describe('an issue of a system that nobody knows', () => {
  test('becomes a spec as the mapping says, and follows its changes', async () => {
    await send(task('TASK-1'))
    await stateBecomes('TASK-1', 'Open')
    expect((await bed.specs('tasks'))['TASK-1']).toMatchObject({
      ...{ text: 'It is broken.', summary: 'TASK-1', description: 'https://tasks.example/TASK-1' },
      source: { provider: 'generic', url: 'https://tasks.example/TASK-1' },
    })
    await send(task('TASK-1', { labels: [] }))
    await stateBecomes('TASK-1', 'Closed')
    await send(task('TASK-1'))
    await stateBecomes('TASK-1', 'Open')
    await send(task('TASK-1', { state: 'closed' }))
    await stateBecomes('TASK-1', 'Closed')
    await send(task('TASK-2'))
    await stateBecomes('TASK-2', 'Open')
    await send(task('TASK-2', { action: 'deleted' }))
    await stateBecomes('TASK-2', 'Closed')
  })

  test('starts a run when a named actor opens it, once', async () => {
    await send(task('no-number', { action: 'opened', actor: 'operator' }))
    await become('no-number', ['opened'])
    await send(task('no-number', { action: 'opened', actor: 'operator' }))
    await send(task('no-number', { action: 'labelled', label: 'Agent', actor: 'operator' }))
    await become('no-number', ['label', 'opened'])
    const [run] = await runsOf('no-number')
    expect(run?.spec.parameters).toEqual({ repository: 'owner/app', issueNumber: 'no-number' })
    expect(run?.metadata.annotations?.['agents.proompteng.ai/triggered-by']).toBe(
      'generic:operator',
    )
  })
})
