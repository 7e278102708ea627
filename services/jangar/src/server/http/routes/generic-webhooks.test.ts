import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { implementationSource } from '@agents/jangar-api'
import { CustomResourceDefinitionKind } from '@agents/kube'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Database } from '../../database-schema.ts'
import { openDatabase } from '../../db.ts'
import { migrate } from '../../kysely-migrations.ts'
import { addSecret, addSource, secret } from '../testing/github-delivery.ts'
import { startTestApi } from '../testing/test-api.ts'

const path = '/api/agents/implementation-sources/webhooks/generic/red/tasks'
const next = 'the-second-secret-of-the-source'
const encoded = Buffer.from('a-secret-in-base64-as-senders-have-it')

let folder: string
let postgres: LocalPostgres
let db: Kysely<Database>
let api: Awaited<ReturnType<typeof startTestApi>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'generic-webhooks-'))
  postgres = await startPostgres({ directory: folder, log: silentLogger })
  const settings = { url: postgres.url, sslMode: 'disable', sslRootCert: undefined } as const
  db = await openDatabase(settings, silentLogger)
  await migrate(db, silentLogger)
  api = await startTestApi(startApiServer, {
    webhooks: { queueSize: 1000, refusedSecrets: [], database: Promise.resolve(db) },
  })
  const { admin } = api
  await admin.create(CustomResourceDefinitionKind, customResourceDefinition(implementationSource))
  const secrets = [secret, next, `whsec_${encoded.toString('base64')}`]
  await vi.waitFor(() => addSecret(admin, 'red', 'hook', secrets.join('\n')), { timeout: 30_000 })
  await vi.waitFor(() => addSource(admin, 'tasks', 'generic', 'hook'), { timeout: 30_000 })
  await addSource(admin, 'issues', 'github', 'hook')
  await vi.waitFor(async () => expect((await api.ask(path, sent())).status).toBe(202), {
    timeout: 30_000,
  })
}, 240_000)

afterAll(async () => {
  await api?.stop()
  await db?.destroy()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const task = {
  ...{ id: 'TASK-12', title: 'Fix the parser', body: 'It is broken.', labels: ['agent'] },
  ...{ url: 'https://tasks.example/12', state: 'open', updatedAt: '2026-11-17T08:00:00Z' },
}

let count = 0

interface Change {
  readonly id?: string
  readonly body?: string
  readonly by?: string | Buffer
  readonly ageSeconds?: number
  readonly algorithm?: string
}

/** A delivery that is right in all that is not changed. */
function sent(change: Change = {}) {
  count += 1
  const { id = `msg_${count}`, body = JSON.stringify(task), by = secret } = change
  const time = String(Math.floor(Date.now() / 1000) - (change.ageSeconds ?? 0))
  const signature = createHmac(change.algorithm ?? 'sha256', by)
    .update(`${id}.${time}.${body}`)
    .digest('base64')
  return {
    ...{ method: 'POST', body },
    headers: {
      ...{ 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': time },
      'webhook-signature': `v1,${signature}`,
    },
  }
}

function withHeaders(delivery: ReturnType<typeof sent>, headers: Readonly<Record<string, string>>) {
  return { ...delivery, headers: { ...delivery.headers, ...headers } }
}

async function stored(): Promise<number> {
  return (await db.selectFrom('webhook_inbox').select('id').execute()).length
}

describe('a forged delivery', () => {
  const digest = 'A'.repeat(43)
  const rows: readonly { because: string; delivery: () => ReturnType<typeof sent> }[] = [
    { because: 'no signature', delivery: () => withHeaders(sent(), { 'webhook-signature': '' }) },
    { because: 'no identifier', delivery: () => withHeaders(sent(), { 'webhook-id': '' }) },
    { because: 'no time', delivery: () => withHeaders(sent(), { 'webhook-timestamp': '' }) },
    { because: 'SHA-1', delivery: () => sent({ algorithm: 'sha1' }) },
    { because: 'another secret', delivery: () => sent({ by: 'a-secret-that-somebody-guessed' }) },
    { because: 'an empty secret', delivery: () => sent({ by: '' }) },
    {
      because: 'the secret of base64 as it is written',
      delivery: () => sent({ by: encoded.toString('base64') }),
    },
    {
      because: 'one byte changed',
      delivery: () => ({ ...sent(), body: JSON.stringify({ ...task, id: 'TASK-13' }) }),
    },
    {
      because: 'another version of signatures',
      delivery: () => withHeaders(sent(), { 'webhook-signature': `v1a,${digest}=` }),
    },
    {
      because: 'many signatures',
      delivery: () => withHeaders(sent(), { 'webhook-signature': `v1,${digest}= `.repeat(20) }),
    },
    {
      because: 'a recorded one with another identifier',
      delivery: () => withHeaders(sent(), { 'webhook-id': 'msg_new' }),
    },
    {
      because: 'a recorded one with the time of now',
      delivery: () => {
        const now = String(Math.floor(Date.now() / 1000))
        return withHeaders(sent({ ageSeconds: 3600 }), { 'webhook-timestamp': now })
      },
    },
    {
      because: 'a recorded one that is divided in another way',
      delivery: () => {
        const { headers, ...rest } = sent()
        const id = `${headers['webhook-id']}.${headers['webhook-timestamp']}`
        return { ...rest, headers: { ...headers, 'webhook-id': id } }
      },
    },
  ]

  test.each(rows)('is refused, and stored nowhere: $because', async ({ delivery }) => {
    const before = await stored()
    const reply = await api.ask(path, delivery())
    expect(reply).toMatchObject({
      status: 401,
      json: { error: 'the delivery is not signed by the secret of the source' },
    })
    expect(await stored()).toBe(before)
  })

  test.each([301, -301])('is refused when it is not from now: %s seconds', async (ageSeconds) => {
    const before = await stored()
    const reply = await api.ask(path, sent({ ageSeconds }))
    expect(reply).toMatchObject({ status: 401, json: { error: 'the delivery is not from now' } })
    expect(await stored()).toBe(before)
  })

  test('is refused by a source of another provider', async () => {
    const to = path.replace('/tasks', '/issues')
    expect((await api.ask(to, sent())).status).toBe(401)
  })

  test('is refused in the same way where there is no source', async () => {
    expect((await api.ask(path.replace('tasks', 'none'), sent())).status).toBe(401)
  })

  test.each([
    { because: 'no id', change: { id: undefined }, field: 'id' },
    { because: 'an id that is a path', change: { id: '../../x' }, field: 'id' },
    { because: 'an id that is a number', change: { id: 12 }, field: 'id' },
    { because: 'no title', change: { title: ' ' }, field: 'title' },
    { because: 'no time', change: { updatedAt: 'yesterday' }, field: 'updatedAt' },
    { because: 'labels that are objects', change: { labels: [{}] }, field: 'labels' },
    { because: 'labels that are a text', change: { labels: 'agent' }, field: 'labels' },
    { because: 'an unknown state', change: { state: 'done' }, field: 'state' },
    { because: 'an unknown action', change: { action: 'exploded' }, field: 'action' },
    { because: 'a label that is not named', change: { action: 'labelled' }, field: 'label' },
  ])('with the right secret is refused and told why: $because', async ({ change, field }) => {
    const reply = await api.ask(path, sent({ body: JSON.stringify({ ...task, ...change }) }))
    const error = `the payload has no valid ${field}`
    expect(reply).toMatchObject({ status: 400, json: { error } })
  })
})

describe('a delivery', () => {
  test('is acknowledged when it is on disk', async () => {
    expect(await api.ask(path, sent({ id: 'msg_first' }))).toMatchObject({ status: 202 })
    const row = await db
      .selectFrom('webhook_inbox')
      .selectAll()
      .where('delivery_id', '=', 'msg_first')
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ provider: 'generic', event: 'issue', subject: 'task-12' })
  })

  test('is recognized by its identifier when it comes again, with another time', async () => {
    const id = 'msg_again'
    expect((await api.ask(path, sent({ id }))).status).toBe(202)
    const before = await stored()
    for (const ageSeconds of [0, 10]) {
      const reply = await api.ask(path, sent({ id, ageSeconds }))
      expect(reply).toMatchObject({ status: 200, json: { deduped: true } })
    }
    expect(await stored()).toBe(before)
    // The same content, sent on purpose, is another delivery.
    expect((await api.ask(path, sent())).status).toBe(202)
  })

  test.each([
    { because: 'the second secret', by: next },
    { because: 'a secret in base64', by: encoded },
  ])('signed by $because is accepted', async ({ by }) => {
    expect((await api.ask(path, sent({ by }))).status).toBe(202)
  })

  test('with two signatures is accepted if one is right', async () => {
    const id = 'msg_two'
    const wrong = sent({ id, by: 'the-old-secret-of-the-sender' }).headers['webhook-signature']
    const right = sent({ id })
    const both = `${wrong} ${right.headers['webhook-signature']}`
    expect((await api.ask(path, withHeaders(right, { 'webhook-signature': both }))).status).toBe(
      202,
    )
  })

  test('appears in no log', () => {
    const text = api.lines.join('\n')
    expect(text).toContain('system:webhook:generic')
    for (const one of [secret, next, encoded.toString('base64')]) expect(text).not.toContain(one)
  })
})
