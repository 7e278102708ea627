import { createHmac, randomUUID } from 'node:crypto'
import { SecretKind } from '@agents/kube'
import type { EntityWebhookPayloadWithIssueData } from '@linear/sdk/webhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type LinearService,
  type StubIssue,
  startLinearService,
} from '../../support/forge-api/linear-service.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { type SourceBed, secret, sourceKind, startSourceBed } from './source-bed.ts'

const key = 'lin_api_of_the_test'
const namespace = 'linear-lists'
const patience = { timeoutMs: 60_000, everyMs: 100 }
const scope = { team: 'ENG', labels: ['agent'], query: 'is:open -wontfix in:title' }
const listed = { provider: 'linear', auth: auth('linear-key'), scope }

let bed: SourceBed
let linear: LinearService

function auth(name: string) {
  return { secretRef: { name: 'hook' }, apiKeySecretRef: { name } }
}

beforeAll(async () => {
  linear = await startLinearService(key)
  bed = await startSourceBed(namespace)
  for (const [name, value] of [
    ['linear-key', key],
    ['wrong-key', 'lin_api_wrong'],
  ] as const) {
    const data = { apiKey: Buffer.from(value).toString('base64') }
    await bed.client.create(SecretKind, { metadata: { name, namespace }, data } as never)
  }
  await bed.source('hooked', { provider: 'linear', webhook: { enabled: true }, scope })
  await bed.source('listed', { ...listed, apiBaseUrl: linear.url, sync: { intervalSeconds: 30 } })
})

afterAll(async () => {
  await bed?.stop()
  linear?.close()
})

let moments = 0

function moment(): string {
  moments += 1
  return new Date(Date.now() + moments * 1000).toISOString()
}

function add(number: number, change: Partial<StubIssue> = {}): StubIssue {
  const at = moment()
  const made = {
    ...{ identifier: `ENG-${number}`, previousIdentifiers: [], title: `Issue ${number}` },
    ...{ description: 'It is broken.', url: `https://linear.app/example/issue/ENG-${number}` },
    ...{ createdAt: at, updatedAt: at, archivedAt: null, trashed: null },
    ...{ project: { name: 'Parser' }, team: { key: 'ENG' }, state: { type: 'unstarted' } },
    labels: { nodes: [{ name: 'bug' }, { name: 'agent' }] },
    ...change,
  }
  linear.issues.push(made)
  return made
}

function edit(identifier: string, change: Partial<StubIssue>): StubIssue {
  const at = linear.issues.findIndex((one) => one.identifier === identifier)
  const changed = { ...(linear.issues[at] as StubIssue), updatedAt: moment(), ...change }
  linear.issues[at] = changed
  return changed
}

/** What Linear sends about the issue, with the labels in another order. */
async function deliver(issue: StubIssue, action = 'update'): Promise<void> {
  const { labels, project, team, state, archivedAt, trashed, ...rest } = issue
  const data = {
    ...{ ...rest, id: `id-${issue.identifier}`, team: { ...team, id: 't', name: 'Engineering' } },
    labels: labels.nodes.map((label) => ({ ...label, id: label.name, color: '#00aabb' })).reverse(),
    ...(project && { project: { ...project, id: 'p', url: 'https://linear.app/p' } }),
    ...(archivedAt !== null && { archivedAt }),
    ...(trashed !== null && { trashed }),
    state: { ...state, id: 's', name: 'Todo', color: '#fff' },
  } as unknown as EntityWebhookPayloadWithIssueData['data']
  const payload = {
    ...{ action, type: 'Issue', data, createdAt: moment(), url: issue.url },
    ...{ organizationId: 'o', webhookId: 'w', webhookTimestamp: Date.now(), updatedFrom: {} },
  }
  const body = JSON.stringify(payload)
  await until(
    async () => {
      const { status } = await fetch(bed.hookUrl('linear', 'hooked'), {
        ...{ method: 'POST', body },
        headers: {
          ...{ 'content-type': 'application/json', 'linear-event': 'Issue' },
          'linear-delivery': randomUUID(),
          'linear-signature': createHmac('sha256', secret).update(body).digest('hex'),
        },
      })
      return status === 200
    },
    'the delivery is not taken',
    patience,
  )
}

async function same(message: string): Promise<void> {
  let both: unknown[] = []
  await until(
    async () => {
      both = await Promise.all([bed.specs('hooked'), bed.specs('listed')])
      return JSON.stringify(sorted(both[0])) === JSON.stringify(sorted(both[1]))
    },
    message,
    patience,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(both)}`)
  })
}

function sorted(specs: unknown): unknown {
  return Object.entries(specs as object).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

async function states(source: string) {
  const specs = await bed.specs(source)
  return Object.fromEntries(Object.entries(specs).map(([id, spec]) => [id, spec.source?.state]))
}

describe('issues of Linear', () => {
  test('become the same specs by webhooks alone and by lists alone', async () => {
    for (let number = 1; number <= 60; number++) await deliver(add(number), 'create')
    await deliver(add(100, { labels: { nodes: [{ name: 'bug' }] } }), 'create')
    await deliver(add(101, { identifier: 'OPS-1', team: { key: 'OPS' } }), 'create')
    await deliver(add(102, { title: 'Wontfix this' }), 'create')
    const { status } = await bed.sync('listed')
    expect(status?.lastSync).toMatchObject({ issues: 60 })
    await same('the specs differ')
    const specs = await bed.specs('listed')
    expect(Object.keys(specs)).toHaveLength(60)
    expect(specs['ENG-1']).toMatchObject({
      ...{ summary: 'Issue 1', text: 'It is broken.', labels: ['agent', 'bug'] },
      source: { provider: 'linear', externalId: 'ENG-1', state: 'Open' },
    })
    expect(linear.violations).toEqual([])
  })

  test('that change, close or leave the scope are marked by both', async () => {
    const changed = [
      edit('ENG-1', { title: 'Renamed', description: null }),
      edit('ENG-2', { state: { type: 'completed' } }),
      edit('ENG-3', { labels: { nodes: [{ name: 'bug' }] } }),
      edit('ENG-4', { archivedAt: moment() }),
      edit('ENG-20', { title: 'wontfix' }),
      edit('ENG-5', { trashed: true, archivedAt: moment() }),
      edit('ENG-6', {
        ...{ identifier: 'OPS-6', previousIdentifiers: ['ENG-6'], team: { key: 'OPS' } },
      }),
    ]
    for (const issue of changed) await deliver(issue, issue.trashed ? 'remove' : 'update')
    await bed.sync('listed')
    const expected = {
      ...{ 'ENG-1': 'Open', 'ENG-2': 'Closed', 'ENG-3': 'Closed', 'ENG-4': 'Closed' },
      ...{ 'ENG-5': 'Closed', 'ENG-6': 'Closed', 'ENG-7': 'Open', 'ENG-20': 'Closed' },
    }
    expect(await states('listed')).toMatchObject(expected)
    await until(
      async () => {
        const found = await states('hooked')
        return Object.entries(expected).every(([id, state]) => found[id] === state)
      },
      'the deliveries were not processed',
      patience,
    )
    expect((await bed.specs('listed'))['ENG-1']).toMatchObject({ summary: 'Renamed' })
    expect(Object.keys(await bed.specs('listed'))).not.toContain('OPS-6')
  })

  // The shortest interval is half a minute.
  if (isFull) {
    test('that change while nobody listens heal within one interval, by a list of changes', async () => {
      await bed.sync('listed')
      const before = linear.requests.length
      edit('ENG-7', { title: 'Changed' })
      edit('ENG-8', { state: { type: 'canceled' } })
      edit('ENG-9', { labels: { nodes: [] } })
      edit('ENG-10', {
        ...{ identifier: 'OPS-10', previousIdentifiers: ['ENG-10'], team: { key: 'OPS' } },
      })
      edit('ENG-2', { state: { type: 'started' } })
      add(70)
      await until(
        async () => (await states('listed'))['ENG-70'] === 'Open',
        'the new issue is not imported',
        patience,
      )
      const { variables } = linear.requests[before] ?? {}
      expect(variables?.filter).toHaveProperty('updatedAt')
      // The newest changes are listed first, so that the oldest is imported last.
      const isLastDone = async () => (await bed.specs('listed'))['ENG-7']?.summary === 'Changed'
      await until(isLastDone, 'the last change is not imported', patience)
      expect(await states('listed')).toMatchObject({
        ...{ 'ENG-2': 'Open', 'ENG-8': 'Closed', 'ENG-9': 'Closed', 'ENG-10': 'Closed' },
        'ENG-11': 'Open',
      })
      expect(linear.violations).toEqual([])
      // What was deleted permanently is in no list of changes, but missing from a full one.
      const open = Object.values(await states('listed')).filter((state) => state === 'Open').length
      const gone = linear.issues.findIndex(({ identifier }) => identifier === 'ENG-11')
      linear.issues.splice(gone, 1)
      const { status } = await bed.sync('listed')
      expect((await states('listed'))['ENG-11']).toBe('Closed')
      expect(status?.lastSync?.issues).toBe(open - 1)
    })
  }

  test('are listed again only when Linear allows it, and the source says why', async () => {
    const reset = String(Date.now() + 600_000)
    linear.answer(
      400,
      { errors: [{ message: 'x', extensions: { code: 'RATELIMITED' } }] },
      { 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': reset },
    )
    const limited = /limits the rate of requests/
    const { status } = await bed.sync('listed')
    expect(status?.lastSync?.error).toMatch(limited)
    const { length } = linear.requests
    // Whoever asks for a list gets the same answer, and Linear no request.
    for (let round = 0; round < 3; round++) {
      expect((await bed.sync('listed')).status?.lastSync?.error).toMatch(limited)
    }
    expect(linear.requests).toHaveLength(length)
    const body = { spec: { sync: { intervalSeconds: 31 } } }
    await bed.client.patch(sourceKind, { namespace, name: 'listed' }, { type: 'merge', body })
    await until(() => linear.requests.length > length, 'a changed source does not list', patience)
    const isListed = async () => {
      const { status } = await bed.client.get(sourceKind, { namespace, name: 'listed' })
      return status?.lastSync?.error === undefined
    }
    await until(isListed, 'a changed source is not listed', patience)
  })
})

describe('a query that deliveries cannot answer', () => {
  test('imports nothing and closes nothing', async () => {
    const before = await states('listed')
    expect(Object.values(before)).toContain('Open')
    const { length } = linear.requests
    const body = { spec: { scope: { query: 'author:me' } } }
    await bed.client.patch(sourceKind, { namespace, name: 'listed' }, { type: 'merge', body })
    const { status } = await bed.sync('listed')
    expect(status?.lastSync?.error).toContain('spec.scope.query: "author:me" is not supported')
    expect(linear.requests).toHaveLength(length)
    expect(await states('listed')).toEqual(before)
  })
})

describe('a source that must not list', () => {
  test.each([
    {
      because: 'its key is wrong',
      ...{ name: 'wrong', spec: () => ({ auth: auth('wrong-key'), apiBaseUrl: linear.url }) },
      expected: /the token is invalid/,
    },
    {
      because: 'its URL is not encrypted',
      ...{ name: 'plain', spec: () => ({ apiBaseUrl: 'http://linear.example' }) },
      expected: /would send the key unencrypted/,
    },
    {
      because: 'its URL has a credential',
      ...{ name: 'login', spec: () => ({ apiBaseUrl: 'https://a:b@linear.example' }) },
      expected: /contains a credential/,
    },
  ])('closes nothing, and says that $because', async ({ name, spec, expected }) => {
    await bed.source(name, { ...listed, ...spec() })
    const find = () => bed.client.get(sourceKind, { namespace, name })
    await until(
      async () => expected.test((await find()).status?.lastSync?.error ?? ''),
      `${name} has no such error`,
      patience,
    )
    expect(await bed.specs(name)).toEqual({})
    expect(JSON.stringify(await find())).not.toContain(key)
  })
})
