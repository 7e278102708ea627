import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { versionControlProvider } from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Gitea } from '../../support/gitea/gitea-server.ts'
import { until } from '../../support/testbed/until.ts'
import { type SourceBed, secret, sourceKind, specKind, startSourceBed } from './source-bed.ts'

const namespace = 'issue-sources'
const repository = `owner/${namespace}`
/** As a person may write it. */
const spelled = `Owner/${namespace}`
const api = `/repos/${repository}`
const scope = { repository: spelled, labels: ['agent'] }
const patience = { timeoutMs: 60_000, everyMs: 100 }

let gitea: Gitea
let owner: string
let bed: SourceBed
let labels: Readonly<Record<string, number>>

beforeAll(async () => {
  bed = await startSourceBed(namespace)
  gitea = await bed.gitea()
  owner = await gitea.user('owner', { admin: true })
  const reader = await gitea.user('reader', { scopes: 'read:issue,read:repository' })
  await gitea.api(owner, 'POST', '/user/repos', { name: namespace, auto_init: true, private: true })
  await gitea.api(owner, 'PUT', `${api}/collaborators/reader`, { permission: 'read' })
  const added = await Promise.all(
    ['agent', 'bug'].map((name) =>
      gitea.api<{ id: number }>(owner, 'POST', `${api}/labels`, { name, color: '#00aabb' }),
    ),
  )
  labels = { agent: added[0]?.id ?? 0, bug: added[1]?.id ?? 0 }
  const { client } = bed
  const data = { token: Buffer.from(reader).toString('base64') }
  await client.create(SecretKind, { metadata: { name: 'forge', namespace }, data } as never)
  const auth = { token: { secretRef: { name: 'forge' } } }
  const spec = { provider: 'gitea', cloneBaseUrl: gitea.url, auth }
  await client.create(kindRef(versionControlProvider), {
    metadata: { name: 'hub', namespace },
    spec,
  } as never)
  const narrow = { ...spec, repositoryPolicy: { allow: ['owner/other'] } }
  await client.create(kindRef(versionControlProvider), {
    metadata: { name: 'narrow', namespace },
    spec: narrow,
  } as never)
  await bed.source('hooked', { provider: 'gitea', webhook: { enabled: true }, scope })
})

afterAll(() => bed?.stop())

interface Hook {
  readonly id: number
}

function addHook(url: string, by = secret): Promise<Hook> {
  return gitea.api<Hook>(owner, 'POST', `${api}/hooks`, {
    ...{ type: 'gitea', active: true, events: ['issues', 'issue_label', 'issues_only'] },
    config: { url, content_type: 'json', secret: by },
  })
}

async function addIssue(title: string, names: readonly string[] = ['agent']): Promise<number> {
  const body = { title, body: `${title}.\n\nPlease.`, labels: names.map((name) => labels[name]) }
  const { number } = await gitea.api<{ number: number }>(owner, 'POST', `${api}/issues`, body)
  return number
}

function edit(number: number, change: object): Promise<unknown> {
  return gitea.api(owner, 'PATCH', `${api}/issues/${number}`, change)
}

async function specOf(source: string, number: number) {
  return (await bed.specs(source))[`${spelled}#${number}`]
}

/** Resolves when the spec of the issue is so. */
async function become(source: string, number: number, expected: object): Promise<void> {
  let last: unknown
  await until(
    async () => {
      last = await specOf(source, number)
      const wanted = { ...(last as object), ...expected }
      return last !== undefined && JSON.stringify(last) === JSON.stringify(wanted)
    },
    `the spec of ${source} for #${number} did not become ${JSON.stringify(expected)}`,
    patience,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(last)}`)
  })
}

async function stateBecomes(source: string, number: number, state: string): Promise<void> {
  await until(
    async () => (await specOf(source, number))?.source?.state === state,
    `the spec of ${source} for #${number} is not ${state}`,
    patience,
  )
}

describe('the issues of a real Gitea', () => {
  test('become the same specs by webhooks alone and by lists alone', async () => {
    const { id } = await addHook(bed.hookUrl('gitea', 'hooked'))
    const first = await addIssue('Fix the first')
    const other = await addIssue('Not for agents', ['bug'])
    const second = await addIssue('Fix the second', ['agent', 'bug'])
    await become('hooked', first, { summary: 'Fix the first' })
    await become('hooked', second, { summary: 'Fix the second' })
    await edit(first, { title: 'Fix the first one', body: 'Soon.' })
    await become('hooked', first, { summary: 'Fix the first one', text: 'Soon.' })
    await edit(second, { state: 'closed' })
    await stateBecomes('hooked', second, 'Closed')
    await gitea.api(owner, 'DELETE', `${api}/issues/${first}/labels/${labels.agent}`)
    await stateBecomes('hooked', first, 'Closed')
    await gitea.api(owner, 'POST', `${api}/issues/${first}/labels`, { labels: [labels.agent] })
    await stateBecomes('hooked', first, 'Open')
    expect(await specOf('hooked', other)).toBeUndefined()

    // What is not open when it is first listed is not imported.
    await bed.source('listed', { provider: 'gitea', vcsRef: { name: 'hub' }, scope })
    const { status } = await bed.sync('listed')
    expect(status?.lastSync).toMatchObject({ issues: 1 })
    const [byHook, byList] = await Promise.all([specOf('hooked', first), specOf('listed', first)])
    const { vcsRef, ...listed } = byList ?? {}
    expect(vcsRef).toEqual({ name: 'hub' })
    expect(listed).toEqual(byHook)
    expect(Object.keys(await bed.specs('listed'))).toEqual([`${spelled}#${first}`])
    await gitea.api(owner, 'DELETE', `${api}/hooks/${id}`)
  })

  test('heal within one list when webhooks are missed', async () => {
    const [kept, closed, unlabelled] = [
      await addIssue('Kept'),
      await addIssue('Closed'),
      await addIssue('Unlabelled'),
    ]
    const gone = await addIssue('Deleted')
    await bed.sync('listed')
    for (const number of [kept, closed, unlabelled, gone])
      await stateBecomes('listed', number, 'Open')
    await edit(kept, { body: 'Changed while nobody listened.' })
    await edit(closed, { state: 'closed' })
    await gitea.api(owner, 'DELETE', `${api}/issues/${unlabelled}/labels/${labels.agent}`)
    await gitea.api(owner, 'DELETE', `${api}/issues/${gone}`)
    await bed.sync('listed')
    expect(await specOf('listed', kept)).toMatchObject({ text: 'Changed while nobody listened.' })
    for (const number of [closed, unlabelled, gone]) {
      expect((await specOf('listed', number))?.source?.state).toBe('Closed')
    }
    await edit(closed, { state: 'open' })
    await bed.sync('listed')
    expect((await specOf('listed', closed))?.source?.state).toBe('Open')
  })

  test('are not imported by a hook that has another secret', async () => {
    const { id } = await addHook(bed.hookUrl('gitea', 'hooked'), 'a-secret-that-somebody-guessed')
    const number = await addIssue('Forged')
    const tasks = () =>
      gitea.api<readonly { number: number }[]>(owner, 'GET', `${api}/issues?state=open`)
    expect((await tasks()).map((one) => one.number)).toContain(number)
    await bed.sync('listed')
    expect(await specOf('hooked', number)).toBeUndefined()
    await gitea.api(owner, 'DELETE', `${api}/hooks/${id}`)
  })

  test('are not listed against the policy of the provider', async () => {
    const vcsRef = { name: 'narrow' }
    await bed.source('thief', { provider: 'gitea', vcsRef, scope: { repository } })
    const { status } = await bed.sync('thief')
    expect(status?.lastSync?.error).toMatch(/owner\/issue-sources/)
    expect(await bed.specs('thief')).toEqual({})
  })

  test('do not replace a spec that a person wrote', async () => {
    const number = await addIssue('Mine')
    await bed.sync('listed')
    const { items } = await bed.client.list(specKind, { namespace })
    const made = items.find(
      ({ spec }) => spec.source?.externalId === `${spelled}#${number}` && spec.vcsRef,
    )
    const name = made?.metadata.name ?? ''
    await bed.client.delete(specKind, { namespace, name })
    const mine = { metadata: { name, namespace }, spec: { text: 'Written by a person.' } }
    await bed.client.create(specKind, mine as never)
    const { status } = await bed.sync('listed')
    expect(status?.lastSync?.error).toContain('was not imported by this source')
    const after = await bed.client.get(specKind, { namespace, name })
    expect(after.spec).toEqual(mine.spec)
    await bed.client.delete(specKind, { namespace, name })
    await bed.sync('listed')
    expect(await specOf('listed', number)).toMatchObject({ summary: 'Mine' })
  })

  test('survive that Gitea is killed while they are listed', async () => {
    const number = await addIssue('Later')
    await gitea.kill()
    const { status } = await bed.sync('listed')
    expect(status?.lastSync?.error).toMatch(/not reachable/)
    await gitea.start()
    await bed.sync('listed')
    expect(await specOf('listed', number)).toMatchObject({ summary: 'Later' })
    await until(
      async () => {
        const { status: now } = await bed.client.get(sourceKind, { namespace, name: 'listed' })
        return now?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')
      },
      'the source is not ready',
      patience,
    )
  })
})

describe('conditional requests', () => {
  let stub: Server
  let answers: number[]
  let issues: readonly object[]

  beforeAll(async () => {
    answers = []
    issues = [1, 2].map((number) => ({
      ...{ number, title: `Issue ${number}`, body: 'x', state: 'open', labels: [] },
      ...{ html_url: `https://github.test/o/r/issues/${number}`, user: { login: 'author' } },
      updated_at: '2026-11-17T08:00:00Z',
    }))
    stub = createServer((request, response) => {
      const body = JSON.stringify(issues)
      const etag = `"${Buffer.from(body).toString('base64url').slice(-40)}-${body.length}"`
      const isKnown = request.headers['if-none-match'] === etag
      answers.push(isKnown ? 304 : 200)
      response.writeHead(isKnown ? 304 : 200, { etag, 'content-type': 'application/json' })
      response.end(isKnown ? undefined : body)
    })
    await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve))
    const { port } = stub.address() as AddressInfo
    const auth = { token: { secretRef: { name: 'forge' } } }
    const url = `http://127.0.0.1:${port}`
    await bed.client.create(kindRef(versionControlProvider), {
      metadata: { name: 'octo', namespace },
      spec: { provider: 'github', apiBaseUrl: url, cloneBaseUrl: url, auth },
    } as never)
  })
  afterAll(() => void stub?.close())

  test('cost the service nothing while no issue changes', async () => {
    const spec = { provider: 'github', vcsRef: { name: 'octo' }, scope: { repository: 'o/r' } }
    await bed.source('octo', spec)
    for (let round = 0; round < 3; round++) await bed.sync('octo')
    expect(Object.keys(await bed.specs('octo'))).toEqual(['o/r#1', 'o/r#2'])
    expect(answers.filter((code) => code === 200)).toHaveLength(1)
    expect(answers.filter((code) => code === 304).length).toBeGreaterThanOrEqual(2)
    issues = issues.map((issue) => ({
      ...issue,
      title: 'Renamed',
      updated_at: '2026-11-17T09:00:00Z',
    }))
    await bed.sync('octo')
    expect((await bed.specs('octo'))['o/r#2']).toMatchObject({ summary: 'Renamed' })
  })
})
