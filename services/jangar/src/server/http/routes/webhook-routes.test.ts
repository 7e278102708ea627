import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { implementationSource } from '@agents/jangar-api'
import { CustomResourceDefinitionKind, SecretKind } from '@agents/kube'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Act } from '../../audit/audit-entry.ts'
import type { Audit } from '../../audit/open-audit.ts'
import type { Database } from '../../database-schema.ts'
import { openDatabase } from '../../db.ts'
import { migrate } from '../../kysely-migrations.ts'
import { addSecret, addSource, github, hmac, payload, secret } from '../testing/github-delivery.ts'
import { startTestApi } from '../testing/test-api.ts'

const base = '/api/agents/implementation-sources/webhooks'
const next = 'the-second-secret-of-the-source'
const foreign = 'a-secret-of-another-namespace'

const acts: Act[] = []
const noAudit: Audit = {
  record: () => Promise.reject(new Error('not in this test')),
  list: () => Promise.reject(new Error('not in this test')),
  verify: () => Promise.reject(new Error('not in this test')),
  close: () => Promise.resolve(),
}

let folder: string
let postgres: LocalPostgres
let db: Kysely<Database>
let api: Awaited<ReturnType<typeof startTestApi>>
let without: Awaited<ReturnType<typeof api.beside>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'))
  postgres = await startPostgres({ directory: folder, log: silentLogger })
  db = await openDatabase(
    { url: postgres.url, sslMode: 'disable', sslRootCert: undefined },
    silentLogger,
  )
  await migrate(db, silentLogger)
  const settings = { queueSize: 1000, refusedSecrets: ['platform'] }
  api = await startTestApi(startApiServer, {
    opensAtOnce: false,
    audit: { ...noAudit, record: async (act) => void acts.push(act) },
    webhooks: { ...settings, secretRefreshMs: 2_000, database: Promise.resolve(db) },
  })
  without = await api.beside({ webhooks: { ...settings, database: undefined } })
  const { admin } = api
  await admin.create(CustomResourceDefinitionKind, customResourceDefinition(implementationSource))
  await vi.waitFor(() => addSecret(admin, 'red', 'hook', `${secret}\n${next}\n`), {
    timeout: 30_000,
  })
  await addSecret(admin, 'red', 'short', 'short')
  await addSecret(admin, 'red', 'platform', secret)
  await addSecret(admin, 'blue', 'theirs', foreign)
  await vi.waitFor(() => addSource(admin, 'issues', 'github', 'hook'), { timeout: 30_000 })
  await addSource(admin, 'tea', 'gitea', 'hook')
  await addSource(admin, 'lab', 'gitlab', 'hook')
  await addSource(admin, 'lines', 'linear', 'hook')
  await addSource(admin, 'weak', 'github', 'short')
  await addSource(admin, 'own', 'github', 'platform')
  await addSource(admin, 'thief', 'github', 'theirs')
  await addSource(admin, 'traveller', 'github', '../../blue/secrets/theirs')
  await addSource(admin, 'off', 'github', 'hook', false)
  // Until the sources are read, nothing is accepted or refused.
  for (const one of [api, without]) {
    await vi.waitFor(
      async () => {
        const { status } = await one.ask(`${base}/github/red/issues`, github(payload(), foreign))
        expect(status).toBe(401)
      },
      { timeout: 30_000 },
    )
  }
}, 240_000)

afterAll(async () => {
  await api?.stop()
  await without?.stop()
  await db?.destroy()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('the audit', () => {
  const actOf = async (sent: ReturnType<typeof github>, path = `${base}/github/red/issues`) => {
    const { status, headers } = await api.ask(path, sent)
    const id = headers['x-request-id']
    const found = acts.find(({ request }) => request === id)
    return { status, ...(found && { found }) }
  }

  test('has who delivered what, and nothing of those whose signature is wrong or missing', async () => {
    const { headers: signed, body } = github(payload())
    const unsigned = { headers: { ...signed, 'x-hub-signature-256': '' }, body }
    for (const sent of [github(payload(), foreign), { ...github(payload()), ...unsigned }]) {
      expect(await actOf(sent)).toEqual({ status: 401 })
    }
    const taken = await actOf(github(payload()))
    const action = { action: 'receiveWebhook', namespace: 'red', name: 'issues' }
    const actor = 'system:webhook:github'
    expect(taken.found).toMatchObject({ ...action, actor, outcome: 'allowed', code: 202 })
    const broken = await actOf(github('{"action":'))
    expect(broken.found).toMatchObject({ ...action, actor, outcome: 'failed', code: 400 })
    expect(JSON.stringify(acts)).not.toContain(secret)
  })
})

async function stored(): Promise<number> {
  const rows = await db.selectFrom('webhook_inbox').select('id').execute()
  return rows.length
}

describe('a wrong signature', () => {
  test('is refused in the same words, whatever is wrong, and without a look at the database', async () => {
    const before = await stored()
    const body = payload()
    const right = github(body)
    const replies = [
      await api.ask(`${base}/github/red/issues`, github(body, foreign)),
      await api.ask(`${base}/github/red/nobody`, github(body, foreign)),
      // The route itself refuses what has no signature, and what has no length.
      await api.ask(`${base}/github/red/issues`, {
        ...right,
        headers: { ...right.headers, 'x-hub-signature-256': 'sha1=0' },
      }),
      await api.ask(`${base}/github/red/issues`, {
        ...github(body, foreign),
        headers: { ...github(body, foreign).headers, 'transfer-encoding': 'chunked' },
      }),
    ]
    const own = ['date', 'x-request-id', 'connection', 'keep-alive']
    const shown = replies.map(({ status, text, headers }) => ({
      ...{ status, text },
      headers: Object.entries(headers)
        .filter(([name]) => !own.includes(name))
        .toSorted(),
    }))
    expect(shown[0]).toMatchObject({ status: 401 })
    expect(shown).toEqual(replies.map(() => shown[0]))
    expect(new Set(replies.map(({ headers }) => headers['x-request-id'])).size).toBe(4)
    expect(await stored()).toBe(before)
  })
})

describe('a delivery', () => {
  test('is answered with 202 when it is on disk', async () => {
    const body = payload()
    const { number } = JSON.parse(body).issue
    const sent = github(body)
    const reply = await api.ask(`${base}/github/red/issues`, sent)
    expect(reply).toMatchObject({ status: 202, json: { ok: true } })
    const row = await db
      .selectFrom('webhook_inbox')
      .selectAll()
      .where('delivery_id', '=', sent.headers['x-github-delivery'])
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      ...{ namespace: 'red', source: 'issues', provider: 'github', event: 'issues' },
      ...{ subject: `o/r#${number}`, state: 'waiting', attempts: 0 },
    })
    expect(String(row.payload)).toBe(body)
  })

  test('is recognized when it comes again, whatever it says its identifier is', async () => {
    const sent = github(payload())
    expect((await api.ask(`${base}/github/red/issues`, sent)).status).toBe(202)
    const before = await stored()
    const renamed = { ...sent, headers: { ...sent.headers, 'x-github-delivery': 'another' } }
    for (const again of [sent, renamed]) {
      const reply = await api.ask(`${base}/github/red/issues`, again)
      expect(reply).toMatchObject({ status: 200, json: { ok: true, deduped: true } })
    }
    expect(await stored()).toBe(before)
  })

  test('that is of no interest is acknowledged and not stored', async () => {
    const before = await stored()
    const ping = github(payload(), secret, 'ping')
    const reply = await api.ask(`${base}/github/red/issues`, ping)
    expect(reply).toMatchObject({ status: 202, json: { ok: true, ignored: true } })
    expect(await stored()).toBe(before)
  })

  test('signed by the second secret is accepted while one replaces the other', async () => {
    const reply = await api.ask(`${base}/github/red/issues`, github(payload(), next))
    expect(reply.status).toBe(202)
  })

  test.each([
    {
      provider: 'gitea',
      name: 'tea',
      headers: (body: string) => ({
        'x-gitea-event': 'issues',
        'x-gitea-signature': hmac(secret, body),
      }),
    },
  ])('of Gitea is accepted', async ({ provider, name, headers }) => {
    const body = payload()
    const reply = await api.ask(`${base}/${provider}/red/${name}`, {
      ...{ method: 'POST', body },
      headers: { 'content-type': 'application/json', ...headers(body) },
    })
    expect(reply.status).toBe(202)
  })

  test('of GitLab is accepted by its token', async () => {
    const body = JSON.stringify({
      object_kind: 'issue',
      object_attributes: {
        iid: 3,
        title: 'x',
        state: 'opened',
        updated_at: '2026-11-17 08:00:00 UTC',
      },
      project: { path_with_namespace: 'group/sub/app' },
    })
    const headers = { 'content-type': 'application/json', 'x-gitlab-event': 'Issue Hook' }
    const sent = (token: string) => ({
      method: 'POST',
      body,
      headers: { ...headers, 'x-gitlab-token': token },
    })
    expect((await api.ask(`${base}/gitlab/red/lab`, sent('wrong-secret-of-gitlab'))).status).toBe(
      401,
    )
    expect((await api.ask(`${base}/gitlab/red/lab`, sent(secret))).status).toBe(202)
  })

  test.each([
    { because: 'from now', ageMs: 1000, status: 200 },
    { because: 'old', ageMs: 120_000, status: 401 },
  ])('of Linear that is $because: $status', async ({ ageMs, status }) => {
    const body = JSON.stringify({
      ...{ action: 'create', type: 'Issue', webhookTimestamp: Date.now() - ageMs },
      data: { identifier: 'ENG-7', title: 'x', updatedAt: '2026-11-17T08:00:00.123Z' },
    })
    const reply = await api.ask(`${base}/linear/red/lines`, {
      ...{ method: 'POST', body },
      headers: {
        ...{ 'content-type': 'application/json', 'linear-event': 'Issue' },
        'linear-signature': hmac(secret, body),
      },
    })
    expect(reply.status).toBe(status)
  })
})

describe('a forged delivery', () => {
  const refused = { ok: false, code: 'Unauthenticated' }
  const path = `${base}/github/red/issues`
  const rows = [
    { because: 'no signature', path, change: () => ({ 'x-hub-signature-256': '' }) },
    {
      because: 'SHA-1',
      path,
      change: (body: string) => ({
        ...{ 'x-hub-signature-256': '', 'x-hub-signature': `sha1=${hmac(secret, body, 'sha1')}` },
      }),
    },
    {
      because: 'another secret',
      path,
      change: (body: string) => ({ 'x-hub-signature-256': `sha256=${hmac(foreign, body)}` }),
    },
    {
      because: 'one byte changed',
      path,
      change: (body: string) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, `${body} `)}` }),
    },
    { because: 'no such source', path: `${base}/github/red/none`, change: () => ({}) },
    { because: 'no such namespace', path: `${base}/github/green/issues`, change: () => ({}) },
    {
      because: 'the source of another provider',
      path: `${base}/github/red/tea`,
      change: () => ({}),
    },
    { because: 'a source without webhooks', path: `${base}/github/red/off`, change: () => ({}) },
    {
      because: 'a Secret that is too short',
      path: `${base}/github/red/weak`,
      change: (body: string) => ({ 'x-hub-signature-256': `sha256=${hmac('short', body)}` }),
    },
    {
      because: 'a Secret of the platform',
      path: `${base}/github/red/own`,
      change: () => ({}),
    },
    ...['thief', 'traveller'].map((name) => ({
      because: `a Secret of another namespace, named by ${name}`,
      path: `${base}/github/red/${name}`,
      change: (body: string) => ({ 'x-hub-signature-256': `sha256=${hmac(foreign, body)}` }),
    })),
    {
      because: 'an empty secret, which a source without its Secret might have',
      path: `${base}/github/red/thief`,
      change: (body: string) => ({ 'x-hub-signature-256': `sha256=${hmac('', body)}` }),
    },
  ]

  test.each(rows)('is refused like all others: $because', async ({ path: to, change }) => {
    const before = await stored()
    const body = payload()
    const sent = github(body)
    const headers = { ...sent.headers, ...change(body) }
    const reply = await api.ask(to, { ...sent, headers })
    expect(reply.status).toBe(401)
    expect(reply.json).toEqual({
      ...refused,
      error: 'the delivery is not signed by the secret of the source',
    })
    expect(await stored()).toBe(before)
  })

  test.each([
    { because: 'the body is too large', body: () => ' '.repeat(1024 * 1024 + 1), status: 413 },
    { because: 'the body is not JSON', body: () => '{"issue":', status: 400 },
    { because: 'the body is a list', body: () => '[', status: 400 },
    { because: 'there is no issue', body: () => '{}', status: 400 },
    {
      because: 'the repository is none',
      body: () => payload({ repository: { full_name: '../../etc' } }),
      status: 400,
    },
    {
      because: 'the number is none',
      body: () =>
        payload({ issue: { number: '1; drop table', updated_at: '2026-11-17T08:00:00Z' } }),
      status: 400,
    },
  ])('with the right secret is refused too: $because', async ({ body, status }) => {
    const before = await stored()
    const reply = await api.ask(path, github(body()))
    expect(reply.status).toBe(status)
    expect(await stored()).toBe(before)
  })

  test('appears in no log', () => {
    const text = [...api.lines, ...without.lines].join('\n')
    expect(text).toContain(base)
    for (const one of [secret, next, foreign]) expect(text).not.toContain(one)
  })
})

describe('without a database', () => {
  test('deliveries get 503 and the reason, forged ones still 401', async () => {
    const reply = await without.ask(`${base}/github/red/issues`, github(payload()))
    expect(reply.status).toBe(503)
    expect(reply.json.error).toContain('set DATABASE_URL')
    expect(reply.headers['retry-after']).toBe('5')
    const forged = await without.ask(`${base}/github/red/issues`, github(payload(), foreign))
    expect(forged.status).toBe(401)
  })
})

describe('a Secret that changes', () => {
  test('is used when it is read again, and the old value no more', async () => {
    const { admin } = api
    const key = { namespace: 'red', name: 'hook' }
    const fresh = 'a-fresh-secret-of-the-source'
    const before = await admin.get(SecretKind, key)
    const data = { token: Buffer.from(fresh).toString('base64') }
    await admin.update(SecretKind, { ...before, data })
    const status = async (by: string) =>
      (await api.ask(`${base}/github/red/issues`, github(payload(), by))).status
    await vi.waitFor(async () => expect(await status(fresh)).toBe(202), {
      ...{ timeout: 60_000, interval: 500 },
    })
    expect(await status(secret)).toBe(401)
  }, 90_000)
})
