import { createHmac, randomUUID } from 'node:crypto'
import type { AgentRun } from '@agents/jangar-api'
import {
  type EntityWebhookPayloadWithCommentData,
  type EntityWebhookPayloadWithIssueData,
  LinearWebhookClient,
} from '@linear/sdk/webhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { type SourceBed, secret, startSourceBed } from './source-bed.ts'

// The types are Linear's own: what is sent here has the shape that Linear publishes.

type IssuePayload = EntityWebhookPayloadWithIssueData
type CommentPayload = EntityWebhookPayloadWithCommentData
type Actor = NonNullable<IssuePayload['actor']>

const namespace = 'linear-triggers'
const patience = { timeoutMs: 60_000, everyMs: 100 }
const team = { id: 'team-1', key: 'ENG', name: 'Engineering' }
const agentLabel = { id: 'label-1', name: 'agent', color: '#00aabb' }
const otherLabel = { id: 'label-2', name: 'bug', color: '#aa0000' }

function person(name: string): Extract<Actor, { email: string; url: string }> {
  const url = `https://linear.app/example/profiles/${name}`
  return { id: `user-${name}`, type: 'user', name, email: `${name}@example.com`, url }
}

const operator = person('operator')
const stranger = person('stranger')

let bed: SourceBed

beforeAll(async () => {
  bed = await startSourceBed(namespace)
  const parameters = { repository: 'owner/app' }
  const run = { agentRef: { name: 'coder' }, runtime: { type: 'job' }, parameters }
  const trigger = { concurrency: 'Replace', template: { spec: run } }
  const actors = { users: ['Operator@example.com'] }
  await bed.source('issues', {
    ...{ provider: 'linear', webhook: { enabled: true }, scope: { team: 'ENG' } },
    triggers: [
      { name: 'label', event: 'Labelled', label: 'agent', actors, ...trigger },
      { name: 'again', event: 'Command', actors, ...trigger },
    ],
  })
})

afterAll(() => bed?.stop())

let moments = 0

function moment(): string {
  moments += 1
  return new Date(Date.UTC(2026, 10, 17) + moments * 1000).toISOString()
}

function envelope(actor: Actor) {
  const ids = { organizationId: 'organization-1', webhookId: 'webhook-1' }
  return { ...ids, actor, createdAt: moment() as never, webhookTimestamp: Date.now() }
}

function issue(number: number, labels = [agentLabel]): IssuePayload['data'] {
  const at = moment()
  return {
    ...{ id: `issue-${number}`, identifier: `ENG-${number}`, number, title: 'Fix it' },
    ...{ description: 'It is broken.', url: `https://linear.app/example/issue/ENG-${number}` },
    ...{ createdAt: at, updatedAt: at, team, teamId: team.id, labels },
    ...{ labelIds: labels.map(({ id }) => id), previousIdentifiers: [], releases: [] },
    ...{ priority: 0, priorityLabel: 'No priority', prioritySortOrder: 0, sortOrder: 0 },
    ...{ state: { id: 's', name: 'Todo', color: '#fff', type: 'unstarted' }, stateId: 's' },
    ...{ subscriberIds: [], reactionData: {} },
  } as IssuePayload['data']
}

function labelled(actor: Actor, number: number, before: readonly string[] = []): IssuePayload {
  const data = issue(number)
  const updatedFrom = { labelIds: before, updatedAt: moment() }
  return { ...envelope(actor), action: 'update', type: 'Issue', data, updatedFrom, url: data.url }
}

function commented(
  actor: Actor & { readonly id: string },
  number: number,
  body: string,
  change: Partial<CommentPayload['data']> = {},
): CommentPayload {
  const { identifier, title, url } = issue(number)
  const at = moment()
  const data = {
    ...{ id: randomUUID(), body, createdAt: at, updatedAt: at, userId: actor.id, reactionData: {} },
    issue: { id: `issue-${number}`, identifier, title, url, team, teamId: team.id },
    ...{ issueId: `issue-${number}`, ...change },
  }
  return { ...envelope(actor), action: 'create', type: 'Comment', data, url }
}

async function send(payload: IssuePayload | CommentPayload): Promise<number> {
  const body = JSON.stringify(payload)
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  // Linear's own client accepts what is accepted here.
  const client = new LinearWebhookClient(secret)
  expect(client.verify(Buffer.from(body), signature, payload.webhookTimestamp)).toBe(true)
  const { status } = await fetch(bed.hookUrl('linear', 'issues'), {
    ...{ method: 'POST', body },
    headers: {
      ...{ 'content-type': 'application/json', 'linear-event': payload.type },
      ...{ 'linear-delivery': randomUUID(), 'linear-signature': signature },
    },
  })
  return status
}

async function runsOf(number: number): Promise<readonly AgentRun[]> {
  const { items } = await bed.client.list(runKind, { namespace })
  return items.filter(
    ({ spec }) => spec.implementation?.inline.source?.externalId === `ENG-${number}`,
  )
}

async function become(number: number, expected: readonly string[]): Promise<void> {
  const triggers = async () =>
    (await runsOf(number))
      .map(({ metadata }) => metadata.annotations?.['agents.proompteng.ai/trigger'] ?? '')
      .toSorted()
  await until(
    async () => JSON.stringify(await triggers()) === JSON.stringify(expected),
    `ENG-${number} never had ${expected.join()}`,
    patience,
  )
}

/** Resolves when what came before on the issue has been processed: a later command has started its run. */
async function fence(number: number): Promise<void> {
  expect(await send(commented(operator, number, '/agent run'))).toBe(200)
  await become(number, ['again'])
}

describe('a run is started', () => {
  test('by a label that was added, once', async () => {
    const payload = labelled(operator, 1, [otherLabel.id])
    await until(async () => (await send(payload)) === 200, 'not taken', patience)
    await become(1, ['label'])
    // Sent again, as Linear does when it gets no answer: with another time.
    expect(await send({ ...payload, webhookTimestamp: payload.webhookTimestamp + 1 })).toBe(200)
    await send(commented(operator, 1, '/agent run'))
    await become(1, ['again', 'label'])
    const [first] = (await runsOf(1)).filter(
      ({ metadata }) => metadata.annotations?.['agents.proompteng.ai/trigger'] === 'label',
    )
    expect(first?.spec.parameters).toEqual({ repository: 'owner/app', issueNumber: 'ENG-1' })
    expect(first?.spec.implementation?.inline.text).toBe('It is broken.')
    expect(first?.metadata.annotations?.['agents.proompteng.ai/triggered-by']).toBe(
      'linear:operator@example.com',
    )
  })

  test('by a command, with what follows it and without the address of its author', async () => {
    await send({ ...labelled(operator, 2), updatedFrom: { title: 'x' } })
    expect(await send(commented(operator, 2, '/agent run in the parser'))).toBe(200)
    await become(2, ['again'])
    const [run] = await runsOf(2)
    expect(run?.spec.implementation?.inline.text).toMatch(
      /^It is broken\.\n\n---\n\nInstructions on issue ENG-2:\n\nin the parser$/,
    )
  })
})

describe('nothing is started', () => {
  test('by people who are not named, whatever name they have chosen', async () => {
    const spoof = { ...stranger, name: operator.name }
    await send({ ...labelled(spoof, 3) })
    await send(commented(spoof, 3, '/agent run'))
    await fence(3)
    const refused = (await bed.events('TriggerRefused')).join()
    expect(refused).toContain('ENG-3 started nothing: stranger@example.com is not one of')
  })

  test.each<{ because: string; number: number; payload: (number: number) => CommentPayload }>([
    {
      ...{ because: 'it is edited', number: 10 },
      payload: (number) => ({ ...commented(operator, number, '/agent run'), action: 'update' }),
    },
    {
      ...{ because: 'it was edited before it was sent', number: 11 },
      payload: (number) => commented(operator, number, '/agent run', { editedAt: moment() }),
    },
    {
      ...{ because: 'its author is another user', number: 12 },
      payload: (number) => commented(operator, number, '/agent run', { userId: stranger.id }),
    },
    {
      ...{ because: 'an integration wrote it', number: 13 },
      payload: (number) =>
        commented({ ...operator, type: 'integration' } as Actor, number, '/agent run'),
    },
    {
      ...{ because: 'it is code', number: 14 },
      payload: (number) => commented(operator, number, '```\n/agent run\n```'),
    },
    {
      ...{ because: 'it is a quote', number: 15 },
      payload: (number) => commented(operator, number, '> /agent run'),
    },
  ])('by a comment when $because', async ({ number, payload }) => {
    await send({ ...labelled(operator, number), updatedFrom: { title: 'x' } })
    expect(await send(payload(number))).toBe(200)
    await fence(number)
  })

  test('by a label that the issue had before, or for an issue of another team', async () => {
    await send(labelled(operator, 20, [agentLabel.id]))
    await fence(20)
    const data = { ...issue(21), team: { ...team, key: 'OPS' } }
    await send({ ...labelled(operator, 21), data })
    await send(commented(operator, 21, '/agent run'))
    await send({ ...labelled(operator, 22), updatedFrom: { title: 'x' } })
    await fence(22)
    expect(await runsOf(21)).toEqual([])
  })
})
