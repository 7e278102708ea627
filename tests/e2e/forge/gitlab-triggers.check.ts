import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type AgentRun, versionControlProvider } from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { type SourceBed, secret, startSourceBed } from './source-bed.ts'

const repository = 'group/sub/app'
const namespace = 'gitlab-triggers'
const patience = { timeoutMs: 60_000, everyMs: 100 }
const [owner, maintainer, reporter, blocked, outsider] = [
  { id: 1, username: 'owner', access_level: 50 },
  { id: 2, username: 'maintainer', access_level: 30 },
  { id: 3, username: 'reporter', access_level: 20 },
  { id: 4, username: 'blocked', access_level: 40, state: 'blocked' },
  { id: 5, username: 'outsider', access_level: 40 },
] as const
const users = [owner, maintainer, reporter, blocked, outsider]
const team = 'group/agents'
const members = [maintainer, reporter, blocked]
/** Users whose membership was asked for. */
const asked: number[] = []
/** Whether GitLab fails to tell about the team. */
let isTeamHidden = false

let gitlab: Server
let bed: SourceBed
/** Comments on issues, by number. */
const notes = new Map<string, { id: number; body: string; author: { username: string } }[]>()

/** The part of GitLab's API that sources use, as its documentation describes it. */
async function startGitlab(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://gitlab.test')
    const body = await text(request)
    const at = `${request.method} ${pathname.replace('/api/v4', '')}`
    const answer = (found: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(found))
    }
    const project = `/projects/${encodeURIComponent(repository)}`
    const [, issue = ''] = new RegExp(`^\\w+ ${project}/issues/(\\d+)/notes`).exec(at) ?? []
    if (at === 'GET /users') {
      return answer(users.filter(({ username }) => username === searchParams.get('username')))
    }
    if (at.startsWith(`GET ${project}/members/all/`)) {
      const member = users.find(({ id }) => at.endsWith(`/${id}`))
      return member === undefined ? answer({ message: '404 Not found' }, 404) : answer(member)
    }
    if (at.startsWith(`GET /groups/${encodeURIComponent(team)}/members/all/`)) {
      const member = members.find(({ id }) => at.endsWith(`/${id}`))
      asked.push(Number(at.split('/').at(-1)))
      if (isTeamHidden) return answer({ message: '403 Forbidden' }, 403)
      return member === undefined ? answer({ message: '404 Not found' }, 404) : answer(member)
    }
    if (at === `GET ${project}/issues`) return answer([])
    if (issue === '') return answer({ message: '404 Not found' }, 404)
    const listed = notes.get(issue) ?? []
    notes.set(issue, listed)
    if (request.method === 'GET') return answer(listed)
    const written = { ...JSON.parse(body), author: { username: 'bot' } }
    if (request.method === 'PUT') return answer(Object.assign(listed[0] ?? {}, written))
    listed.push({ id: 900 + Number(issue), ...written })
    return answer(listed.at(-1), 201)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

beforeAll(async () => {
  gitlab = await startGitlab()
  bed = await startSourceBed(namespace)
  const { port } = gitlab.address() as AddressInfo
  const data = { token: Buffer.from('a-token-of-the-bot').toString('base64') }
  await bed.client.create(SecretKind, { metadata: { name: 'forge', namespace }, data } as never)
  await bed.client.create(kindRef(versionControlProvider), {
    metadata: { name: 'lab', namespace },
    spec: {
      ...{ provider: 'gitlab', cloneBaseUrl: `http://127.0.0.1:${port}` },
      auth: { token: { secretRef: { name: 'forge' } } },
    },
  } as never)
  const template = { spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' } } }
  await bed.source('issues', {
    ...{ provider: 'gitlab', webhook: { enabled: true }, vcsRef: { name: 'lab' } },
    ...{ scope: { repository }, report: { comment: true } },
    triggers: [
      { name: 'label', event: 'Labelled', label: 'agent', concurrency: 'Replace', template },
      { name: 'again', event: 'Command', concurrency: 'Replace', template },
      {
        ...{ name: 'team', event: 'Command', command: '/agent team', concurrency: 'Replace' },
        ...{ actors: { users: ['owner'], teams: ['group/none', team] }, template },
      },
    ],
  })
})

afterAll(async () => {
  await bed?.stop()
  gitlab?.close()
})

type User = (typeof users)[number]

/** GitLab proves itself by the secret itself. */
async function send(event: string, payload: object, token = secret): Promise<number> {
  const { status } = await fetch(bed.hookUrl('gitlab', 'issues'), {
    method: 'POST',
    body: JSON.stringify(payload),
    headers: {
      ...{ 'content-type': 'application/json', 'x-gitlab-event': event },
      'x-gitlab-token': token,
    },
  })
  return status
}

function common(by: User) {
  return {
    user: { id: by.id, username: by.username },
    project: { id: 5, path_with_namespace: repository },
  }
}

let edits = 0

function issueOf(iid: number) {
  edits += 1
  return {
    ...{ id: 1000 + iid, iid, title: 'Fix it', description: 'It is broken.', state: 'opened' },
    updated_at: new Date(Date.UTC(2026, 10, 17) + edits * 1000).toISOString(),
  }
}

function label(by: User, iid: number, token = secret): Promise<number> {
  const labels = [{ id: 7, title: 'agent' }]
  const url = `https://gitlab.test/${repository}/-/issues/${iid}`
  const payload = {
    ...{ object_kind: 'issue', event_type: 'issue', ...common(by), labels },
    object_attributes: { ...issueOf(iid), action: 'update', url },
    changes: { labels: { previous: [], current: labels } },
  }
  return send('Issue Hook', payload, token)
}

let count = 0

function comment(by: User, iid: number, note: string, change: object = {}): Promise<number> {
  count += 1
  const url = `https://gitlab.test/${repository}/-/issues/${iid}#note_${count}`
  return send('Note Hook', {
    ...{ object_kind: 'note', event_type: 'note', ...common(by) },
    issue: { ...issueOf(iid), labels: [{ id: 7, title: 'agent' }] },
    object_attributes: {
      ...{ id: count, note, noteable_type: 'Issue', author_id: by.id, system: false },
      ...{ action: 'create', url, ...change },
    },
  })
}

async function runsOf(iid: number): Promise<readonly AgentRun[]> {
  const { items } = await bed.client.list(runKind, { namespace })
  const id = `${repository}#${iid}`
  return items.filter(({ spec }) => spec.implementation?.inline.source?.externalId === id)
}

async function become(iid: number, expected: readonly string[]): Promise<void> {
  const triggers = async () =>
    (await runsOf(iid))
      .map(({ metadata }) => metadata.annotations?.['agents.proompteng.ai/trigger'] ?? '')
      .toSorted()
  await until(
    async () => JSON.stringify(await triggers()) === JSON.stringify(expected),
    `#${iid} never had ${expected.join()}`,
    patience,
  )
}

describe('a run is started', () => {
  test('by a label, and one comment on the issue says so', async () => {
    expect(await until(async () => (await label(maintainer, 1)) === 202)).toBe(true)
    await become(1, ['label'])
    const [run] = await runsOf(1)
    expect(run?.metadata.annotations).toMatchObject({
      'agents.proompteng.ai/triggered-by': 'gitlab:maintainer',
    })
    expect(run?.spec).toMatchObject({
      implementation: { inline: { text: 'It is broken.', summary: 'Fix it' } },
      parameters: { repository, issueNumber: '1' },
    })
    await until(async () => notes.get('1')?.[0]?.body.includes(run?.metadata.name ?? '?') ?? false)
    expect(notes.get('1')).toHaveLength(1)
  })

  test('by a command, with what follows it', async () => {
    expect(await comment(maintainer, 2, '/agent run in the parser')).toBe(202)
    await become(2, ['again'])
    expect((await runsOf(2))[0]?.spec.implementation?.inline.text).toBe(
      'It is broken.\n\n---\n\nInstructions of maintainer on issue #2:\n\nin the parser',
    )
  })
})

describe('nothing is started', () => {
  test('by people who may not write', async () => {
    expect(await label(reporter, 3)).toBe(202)
    expect(await label(blocked, 3)).toBe(202)
    expect(await comment({ ...owner, id: 9, username: 'stranger' } as never, 3, '/agent run')).toBe(
      202,
    )
    await comment(maintainer, 3, '/agent run')
    await become(3, ['again'])
    const events = await bed.events('TriggerRefused')
    expect(events).toContainEqual(expect.stringMatching(/reporter has the permission read/))
    expect(events).toContainEqual(expect.stringMatching(/blocked has the permission none/))
    expect(events).toContainEqual(expect.stringMatching(/stranger has the permission none/))
  })

  test('by an edit, by GitLab itself, in the name of somebody else, or without the secret', async () => {
    await comment(maintainer, 4, '/agent run', { action: 'update' })
    await comment(maintainer, 4, '/agent run', { system: true })
    await comment(maintainer, 4, '/agent run', { author_id: reporter.id })
    await comment(maintainer, 4, '```\n/agent run\n```')
    expect(await label(maintainer, 4, 'the-secret-of-somebody-else')).toBe(401)
    await comment(maintainer, 4, '/agent run')
    await become(4, ['again'])
  })

  test('by a merge request that no run has opened, such as that of a fork', async () => {
    const change = { noteable_type: 'MergeRequest' }
    await send('Note Hook', {
      ...{ object_kind: 'note', ...common(maintainer), merge_request: { iid: 5 } },
      object_attributes: {
        ...{ id: 5000, note: '/agent run', author_id: maintainer.id, system: false },
        ...{ action: 'create', ...change },
      },
    })
    const isDone = async () => {
      const rows = bed.inbox().select(['state', 'error'])
      const row = await rows.where('subject', '=', `${repository}#5`).executeTakeFirst()
      return row?.state === 'done' ? row.error : undefined
    }
    expect(await until(isDone, 'not processed', patience)).toContain('is not that of a run')
    expect(await runsOf(5)).toEqual([])
  })
})

describe('a trigger for a team', () => {
  const command = '/agent team'

  test('is for nobody else, and its members need the permission, too', async () => {
    asked.length = 0
    await comment(outsider, 10, command)
    await comment(outsider, 10, command)
    // The name of a member, taken by somebody else.
    await comment({ ...maintainer, id: 77 } as never, 10, command)
    await comment(reporter, 10, command)
    await comment(blocked, 10, command)
    await comment(maintainer, 10, command)
    await become(10, ['team'])
    const [run] = await runsOf(10)
    expect(run?.metadata.annotations?.['agents.proompteng.ai/triggered-by']).toBe(
      'gitlab:maintainer',
    )
    // Those without the permission are not asked for, and nobody twice.
    expect(asked).toEqual([outsider.id, maintainer.id])
    const events = await bed.events('TriggerRefused')
    const because = /outsider is not a member of one of spec.triggers\[team\].actors.teams/
    expect(events).toContainEqual(expect.stringMatching(because))
    expect(events).toContainEqual(expect.stringMatching(/maintainer has the permission none/))
  })

  test('is for the users that it names, too', async () => {
    await comment(owner, 11, command)
    await become(11, ['team'])
    expect(asked).not.toContain(owner.id)
  })

  test('starts nothing while the service does not tell', async () => {
    isTeamHidden = true
    const another = { ...outsider, id: 6, username: 'another' }
    users.push(another as never)
    members.push(another as never)
    await comment(another as never, 12, command)
    const failed = async () => {
      const rows = bed.inbox().select(['state', 'error'])
      const row = await rows.where('subject', '=', `${repository}#12`).executeTakeFirst()
      return row?.error ?? undefined
    }
    expect(await until(failed, 'not attempted', patience)).toContain('lacks a permission')
    expect(await runsOf(12)).toEqual([])
    isTeamHidden = false
    await become(12, ['team'])
  })
})
