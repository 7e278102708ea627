import { agentRun, schedule } from '@agents/jangar-api'
import { formatApiVersion, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../../services/jangar/src/server/audit/audit-entry.ts'
import { authorities } from '../../support/testbed/authority.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { type ApiBed, type CallerName, callers, startApiBed } from './api-bed.ts'
import { entriesAfter, newestEntry, strangerPace, usernames } from './audit-entries.ts'
import { type MatrixRow, matrixRows } from './matrix-rows.ts'
import { predecessorRows } from './predecessor-rows.ts'

const runKind = kindRef<KubeObject>(agentRun)
const scheduleKind = kindRef<KubeObject>(schedule)
const spec = {
  agentRef: { name: 'writer' },
  implementation: { inline: { text: 'x' } },
  runtime: { type: 'job' },
}

/** What anybody may do is nobody's act, and a delivery without the right signature is not recorded. */
const unrecorded = new Set(['livez', 'readyz', 'getDescription', 'listSignIns', 'receiveWebhook'])
/** Tokens of callers are unknown to them: those of pods are for another audience, and browsers have cookies. */
const hasOwnCallers = new Set([
  ...['openSession', 'startSignIn', 'finishSignIn', 'uploadArtifact', 'reportUsage'],
])

/**
 * One example of each pattern of answers, for the gate: which of them a route gives is decided by the control plane.
 * The server only says who the callers are and what they may do, and a session only whose it is.
 */
function sampleRows(): readonly MatrixRow[] {
  const own = matrixRows.filter((row) => !predecessorRows.includes(row))
  const byPattern = new Map(own.toReversed().map((row) => [row.statuses.join(), row]))
  // With what comes before: an object is created, read and deleted at the same path.
  const paths = new Set([...byPattern.values()].map(({ path }) => path))
  return own.filter(({ path }) => paths.has(path))
}

interface Operation {
  readonly operationId: string
}

describe.each(authorities)('the API on the %s API server', (authority) => {
  const rows = isFull || authority === 'embedded' ? matrixRows : sampleRows()
  let bed: ApiBed
  /** Of the run red/one. */
  let runUid = ''
  let methods: ReadonlyMap<string, string>
  let names: ReadonlyMap<CallerName, string>
  const pace = strangerPace()

  beforeAll(async () => {
    bed = await startApiBed(authority)
    for (const [namespace, name] of [
      ['red', 'one'],
      ['red', 'finished'],
      ['blue', 'secret-plan'],
    ] as const) {
      await create(bed, runKind, namespace, name, spec)
    }
    await finish(bed, 'finished')
    runUid = (await bed.admin.get(runKind, { namespace: 'red', name: 'one' })).metadata.uid ?? ''
    await bed.archiveRun('red', 'archived')
    await bed.archiveRun('blue', 'secret-plan-archived')
    await bed.addDeadDelivery('red', 'o/r#1')
    await bed.addDeadDelivery('blue', 'secret-plan#2')
    await create(bed, scheduleKind, 'red', 'nightly', {
      cron: '0 3 * * *',
      template: { kind: 'AgentRun', spec },
    })
    const { text } = await bed.ask('/openapi.json')
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> }
    methods = new Map(
      Object.values(paths).flatMap((path) =>
        Object.entries(path).map(([method, { operationId }]) => [
          operationId,
          method.toUpperCase(),
        ]),
      ),
    )
    names = await usernames(bed, bed.listener.port)
    const admin = bed.tokens.admin
    await until(async () => {
      const replies = await Promise.all(
        [0, 1].map((at) => bed.ask('/v1/runs', { token: admin }, at)),
      )
      return replies.every(({ text: page }) => page.includes('secret-plan') && page.includes('one'))
    })
  })
  afterAll(() => bed?.stop())

  test('every route has a row, and every row a route', () => {
    expect(new Set(matrixRows.map(({ id }) => id))).toEqual(new Set(methods.keys()))
  })

  test.each(rows)('$id $path', async (row) => {
    const { id, body, contentType, isEndless = false, statuses, behind } = row
    const path = row.path.replace('UID', runUid)
    const behindStatuses = behind?.statuses.values()
    expect(statuses).toHaveLength(callers.length)
    const method = methods.get(id) ?? ''
    const given: Record<string, number> = {}
    const last = await newestEntry(bed)
    const wanted: Partial<AuditEntry>[] = []
    /** Entries of the operation behind each request. Their request ids are not returned to the caller. */
    const wantedBehind: Partial<AuditEntry>[] = []
    for (const caller of callers) {
      const json = body?.(caller)
      const actor = hasOwnCallers.has(id) ? '' : (names.get(caller) ?? '')
      if (actor === '') await pace()
      const { status, text, request } = await bed.ask(path, {
        method,
        token: bed.tokens[caller],
        isEndless,
        headers: {
          ...row.headers,
          ...(json && { 'content-type': contentType ?? 'application/json' }),
        },
        ...(json && { body: JSON.stringify(json) }),
      })
      given[caller] = status
      if (behind && status !== 401) {
        const code = behindStatuses?.next().value ?? NaN
        const { action, namespace } = behind
        wantedBehind.push({ action, code, outcome: outcomeOf(code), actor, namespace })
      }
      wanted.push({
        ...{ request, action: id, code: status, outcome: outcomeOf(status) },
        actor,
        // Strangers are turned away before anything of a request is read.
        namespace: status === 401 ? null : namespaceOf(path, json),
      })
      // Whoever may not see the other namespace does not learn what is in it.
      if (caller !== 'admin' && caller !== 'reader of another namespace') {
        expect(text).not.toContain('secret-plan')
      }
      if (status === 401 || status === 403) {
        expect(JSON.parse(text)).toMatchObject({ ok: false })
        expect(text).not.toContain('agentRef')
      }
    }
    expect(given).toEqual(Object.fromEntries(callers.map((caller, at) => [caller, statuses[at]])))
    if (unrecorded.has(id)) return
    const recorded = async () => {
      const requests = new Set(wanted.map((each) => each.request))
      return (await entriesAfter(bed, last))
        .filter(({ request }) => requests.has(request))
        .map(({ request, actor, action, outcome, code, namespace }) => ({
          ...{ request, actor, action, outcome, code, namespace },
        }))
    }
    await expect.poll(recorded, { message: 'audit', timeout: 200_000 }).toEqual(wanted)
    if (behind === undefined) return
    const found = (await entriesAfter(bed, last)).filter(({ action }) => action === behind.action)
    expect(found).toMatchObject(wantedBehind)
  })

  test('a session may do what the token of its user may do, and no more', async () => {
    const read = (isFull ? rows : sampleRows()).filter(
      ({ id, isEndless }) => methods.get(id) === 'GET' && isEndless !== true,
    )
    expect(read.length).toBeGreaterThan(isFull ? 8 : 6)
    for (const caller of callers.slice(4)) {
      const token = bed.tokens[caller]
      const headers = await signIn(bed, token)
      for (const row of read) {
        const path = row.path.replace('UID', runUid)
        const [byToken, bySession] = [
          await bed.ask(path, { token }),
          await bed.ask(path, { headers }),
        ]
        expect([caller, path, bySession.status]).toEqual([caller, path, byToken.status])
        if (caller !== 'admin' && caller !== 'reader of another namespace') {
          expect(bySession.text).not.toContain('secret-plan')
        }
      }
      const code = await bed.ask('/v1/session/codes', { method: 'POST', headers })
      expect(code.status).toBe(403)
    }
  })

  test('lists show exactly what each caller may list', async () => {
    const namesFor = async (caller: (typeof callers)[number]) => {
      const { text } = await bed.ask('/v1/runs?limit=500', { token: bed.tokens[caller] })
      const { items } = JSON.parse(text) as { items: { namespace: string }[] }
      return [...new Set(items.map(({ namespace }) => namespace))].toSorted()
    }
    expect(await namesFor('admin')).toEqual(['blue', 'red'])
    expect(await namesFor('operator')).toEqual(['red'])
    expect(await namesFor('reader')).toEqual(['red'])
    expect(await namesFor('reader of another namespace')).toEqual(['blue'])
    expect(await namesFor("runner's pod")).toEqual([])
  })

  test('archived runs are listed for exactly those who may list others there', async () => {
    const archivedFor = async (caller: (typeof callers)[number], query = '') => {
      const { text } = await bed.ask(`/v1/runs?source=archive${query}`, {
        token: bed.tokens[caller],
      })
      return (JSON.parse(text) as { items: { name: string }[] }).items.map(({ name }) => name)
    }
    expect((await archivedFor('admin')).toSorted()).toEqual(['archived', 'secret-plan-archived'])
    expect(await archivedFor('reader')).toEqual(['archived'])
    expect(await archivedFor('reader', '&text=secret')).toEqual([])
    expect(await archivedFor('reader of another namespace')).toEqual(['secret-plan-archived'])
    expect(await archivedFor("runner's pod")).toEqual([])
  })

  test('one idempotency key makes one run across two control planes', async () => {
    const submit = (at: number, body: object) =>
      bed.ask(
        '/v1/runs',
        {
          method: 'POST',
          token: bed.tokens.operator,
          headers: { 'content-type': 'application/json', 'idempotency-key': 'release-42' },
          body: JSON.stringify(body),
        },
        at,
      )
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => submit(index % 2, { namespace: 'red', spec })),
    )
    const uids = replies.map(({ text }) => JSON.parse(text).run?.uid)
    expect(new Set(uids).size).toBe(1)
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    const changed = { namespace: 'red', spec: { ...spec, agentRef: { name: 'other' } } }
    expect((await submit(0, changed)).status).toBe(409)
    expect((await submit(1, changed)).status).toBe(409)
  })

  test('the audit has who, what and outcome of each act, allowed and denied', async () => {
    const admin = { token: bed.tokens.admin }
    const reader = 'system:serviceaccount:red:reader'
    const { status } = await bed.ask('/v1/runs/blue/secret-plan', { token: bed.tokens.reader })
    expect(status).toBe(403)
    type Entry = Readonly<Record<'actor' | 'action' | 'outcome' | 'namespace' | 'name', string>>
    const entries = async (query: string): Promise<Entry[]> =>
      JSON.parse((await bed.ask(`/v1/audit?limit=1000${query}`, admin)).text).items
    // Entries are written a little later than the answers, also those of the tests before.
    const newest = async () => (await entries(`&actor=${reader}&namespace=blue`))[0]
    await until(async () => (await newest())?.name === 'secret-plan')
    expect(await newest()).toMatchObject({
      ...{ action: 'getRun', outcome: 'denied', code: 403, name: 'secret-plan' },
    })
    // More than a page of the API has.
    const all = await entriesAfter(bed, 0)
    const seen = new Set(all.map(({ action, outcome }) => `${action} ${outcome}`))
    const secret = rows.filter(({ statuses }) => statuses.some((code) => code === 401))
    for (const { id, statuses } of secret) {
      if (statuses.includes(403)) expect(seen).toContain(`${id} denied`)
      if (statuses.some((code) => code < 300)) expect(seen).toContain(`${id} allowed`)
    }
    expect(all.some(({ actor }) => actor === '')).toBe(true)
    const { text } = await bed.ask('/v1/audit/verify', admin)
    expect(JSON.parse(text)).toMatchObject({ ok: true })
    for (const token of Object.values(bed.tokens)) {
      if (token !== undefined && token !== 'wrong') {
        expect(JSON.stringify(all)).not.toContain(token)
      }
    }
  })

  test('no token is logged', () => {
    const text = bed.lines.join('\n')
    expect(text).toContain('GET /v1/runs')
    for (const token of Object.values(bed.tokens)) {
      if (token !== undefined && token !== 'wrong') expect(text).not.toContain(token)
    }
  })
})

function outcomeOf(code: number): AuditEntry['outcome'] {
  if (code === 401 || code === 403) return 'denied'
  return code < 400 ? 'allowed' : 'failed'
}

function namespaceOf(path: string, json: object | undefined): string | null {
  const [, ofPath] =
    /^\/v1\/(?:runs|signals|schedules|artifacts|inbox|objects\/[^/?]+)\/([^/?]+)\//.exec(path) ?? []
  const ofBody = (json as { readonly namespace?: string } | undefined)?.namespace
  const query = new URL(path, 'https://localhost').searchParams
  return ofPath ?? query.get('namespace') ?? ofBody ?? null
}

/** The headers of a browser that has signed in. */
async function signIn(bed: ApiBed, token: string | undefined) {
  const minted = await bed.ask('/v1/session/codes', { method: 'POST', token })
  const origin = `https://127.0.0.1:${bed.listener.port}`
  const { text, cookie } = await bed.ask('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code: JSON.parse(minted.text).code }),
  })
  return { cookie, origin, 'x-agents-session': JSON.parse(text).proof as string }
}

async function create(
  bed: ApiBed,
  kind: typeof runKind,
  namespace: string,
  name: string,
  of: object,
): Promise<void> {
  const { kind: word } = kind
  await bed.admin.create(kind, {
    ...{ apiVersion: formatApiVersion(kind), kind: word, metadata: { namespace, name }, spec: of },
  } as KubeObject)
}

/** As controllers would leave it. */
async function finish(bed: ApiBed, name: string): Promise<void> {
  const run = await bed.admin.get(runKind, { namespace: 'red', name })
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z/, 'Z')
  const conditions = ['Finished', 'Succeeded'].map((type) => ({
    ...{ type, status: 'True', reason: 'Succeeded', message: 'done', lastTransitionTime },
  }))
  const status = { phase: 'Succeeded', conditions }
  await bed.admin.update(runKind, { ...run, status } as KubeObject, { subresource: 'status' })
}
