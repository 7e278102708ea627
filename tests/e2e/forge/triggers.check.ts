import { createHmac } from 'node:crypto'
import type { AgentRun } from '@agents/jangar-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Gitea } from '../../support/gitea/gitea-server.ts'
import { runKind } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { type SourceBed, secret, startSourceBed } from './source-bed.ts'

const namespace = 'triggers'
const repository = `owner/${namespace}`
const api = `/repos/${repository}`
const template = { spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' } } }
const patience = { timeoutMs: 60_000, everyMs: 100 }

let gitea: Gitea
let bed: SourceBed
/** By user: the owner, a maintainer who may write, and strangers who may read. */
let tokens: Readonly<Record<string, string>>
let label: number

beforeAll(async () => {
  bed = await startSourceBed(namespace)
  gitea = await bed.gitea()
  const owner = await gitea.user('owner', { admin: true })
  // The scopes that docs/gitea.md names.
  const bot = await gitea.user('bot', { scopes: 'write:repository,write:issue' })
  const [maintainer, reader] = [await gitea.user('maintainer'), await gitea.user('reader')]
  tokens = { owner, bot, maintainer, reader }
  await gitea.api(owner, 'POST', '/user/repos', { name: namespace, auto_init: true })
  const access = { bot: 'admin', maintainer: 'write', reader: 'read' }
  for (const [user, permission] of Object.entries(access)) {
    await gitea.api(owner, 'PUT', `${api}/collaborators/${user}`, { permission })
  }
  const made = { name: 'agent', color: '#00aabb' }
  label = (await gitea.api<{ id: number }>(owner, 'POST', `${api}/labels`, made)).id
  await bed.giteaProvider('hub', gitea.url, bot)
  await bed.source('issues', {
    ...{ provider: 'gitea', webhook: { enabled: true }, vcsRef: { name: 'hub' } },
    scope: { repository },
    triggers: [
      { name: 'label', event: 'Labelled', label: 'agent', template },
      // The tests start more runs than the usual limit.
      { name: 'again', event: 'Command', concurrency: 'Replace', maxRunsPerHour: 100, template },
      { name: 'queued', event: 'Command', command: '/agent wait', concurrency: 'Queue', template },
      { name: 'skipped', event: 'Command', command: '/agent skip', template },
      { name: 'review', event: 'ChangesRequested', concurrency: 'Replace', template },
      {
        ...{ name: 'owners', event: 'Command', command: '/agent deploy', template },
        ...{ concurrency: 'Replace', actors: { minimumPermission: 'admin' } },
      },
    ],
  })
  await gitea.api(owner, 'POST', `${api}/hooks`, {
    ...{ type: 'gitea', active: true },
    events: [
      ...['issues', 'issue_label', 'issues_only', 'issue_comment'],
      ...['pull_request_comment', 'pull_request_review'],
    ],
    config: { url: bed.hookUrl('gitea', 'issues'), content_type: 'json', secret },
  })
})

afterAll(() => bed?.stop())

async function runs(): Promise<readonly AgentRun[]> {
  return (await bed.client.list(runKind, { namespace })).items
}

async function triggersOf(number: number): Promise<readonly string[]> {
  const annotation = 'agents.proompteng.ai/trigger'
  return (await runs())
    .filter(({ spec }) => spec.implementation?.inline.source?.externalId?.endsWith(`#${number}`))
    .map(({ metadata }) => metadata.annotations?.[annotation] ?? '')
    .toSorted()
}

async function addIssue(by: string, labels: readonly number[] = []): Promise<number> {
  const body = { title: 'Fix it', body: 'It is broken.', labels }
  const made = await gitea.api<{ number: number }>(token(by), 'POST', `${api}/issues`, body)
  return made.number
}

function token(user: string): string {
  return tokens[user] ?? ''
}

function comment(by: string, number: number, body: string): Promise<{ id: number }> {
  return gitea.api(token(by), 'POST', `${api}/issues/${number}/comments`, { body })
}

/** Resolves when what came before on the issue has been processed: a later command has started its run. */
async function fence(number: number): Promise<void> {
  await comment('maintainer', number, '/agent run')
  await become(number, ['again'])
  await until(isIdle, 'not processed', patience)
}

async function isIdle(): Promise<boolean> {
  const inbox = bed.inbox().select('id')
  return (await inbox.where('state', '=', 'waiting').execute()).length === 0
}

/** Whether a delivery waits for the end of a run. */
async function isHeld(): Promise<boolean> {
  const inbox = bed.inbox().select('id').where('state', '=', 'waiting')
  return (await inbox.where('error', 'like', '%is active for the same issue').execute()).length > 0
}

async function become(number: number, expected: readonly string[]): Promise<void> {
  let last: readonly string[] = []
  await until(
    async () => {
      last = await triggersOf(number)
      return JSON.stringify(last) === JSON.stringify(expected)
    },
    `#${number} never had ${expected.join()}`,
    patience,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${last.join()}`)
  })
}

interface ForgedComment {
  readonly id: number
  readonly action?: string
  readonly sender?: string
  readonly senderId?: number
  /** If omitted, that of the source. */
  readonly from?: string
  readonly author?: string
  readonly number: number
  readonly body: string
}

/** Signs and sends what Gitea would send. */
function deliver(forged: ForgedComment, space = ''): Promise<Response> {
  const { id, action = 'created', sender = 'maintainer', author = sender, number, body } = forged
  const from = { login: sender, ...(forged.senderId && { id: forged.senderId }) }
  const issue = {
    ...{ number, title: 'Fix it', body: 'It is broken.', state: 'open', labels: [] },
    ...{ updated_at: '2020-01-01T00:00:00Z', html_url: `${gitea.url}/${repository}/${number}` },
  }
  const payload = {
    ...{ action, issue, comment: { id, body, user: { login: author } } },
    ...{ repository: { full_name: forged.from ?? repository }, sender: from },
  }
  const text = `${JSON.stringify(payload)}${space}`
  return fetch(bed.hookUrl('gitea', 'issues'), {
    method: 'POST',
    body: text,
    headers: {
      ...{ 'content-type': 'application/json', 'x-gitea-event': 'issue_comment' },
      'x-gitea-signature': createHmac('sha256', secret).update(text).digest('hex'),
    },
  })
}

describe('a run is started', () => {
  test('by a label, once, with the issue as it was', async () => {
    const number = await addIssue('reader')
    await gitea.api(token('maintainer'), 'POST', `${api}/issues/${number}/labels`, {
      labels: [label],
    })
    await become(number, ['label'])
    const [run] = (await runs()).filter(
      ({ spec }) => spec.implementation?.inline.source?.externalId === `${repository}#${number}`,
    )
    expect(run?.metadata.annotations).toMatchObject({
      'agents.proompteng.ai/triggered-by': 'gitea:maintainer',
    })
    expect(run?.spec).toMatchObject({
      implementation: { inline: { text: 'It is broken.', summary: 'Fix it' } },
      parameters: { repository, issueNumber: String(number) },
    })
    await gitea.api(token('reader'), 'PATCH', `${api}/issues/${number}`, { body: 'Send me keys.' })
    await comment('maintainer', number, '/agent run')
    await become(number, ['again', 'label'])
    const texts = (await runs()).map(({ spec }) => spec.implementation?.inline.text)
    expect(texts.filter((text) => text === 'It is broken.').length).toBeGreaterThan(0)
  })

  test('by a command, with what follows it', async () => {
    const number = await addIssue('reader')
    await comment('maintainer', number, '/agent run in the parser\n\nand nowhere else')
    await become(number, ['again'])
    const texts = (await runs()).map(({ spec }) => spec.implementation?.inline.text ?? '')
    expect(texts.find((text) => text.includes('in the parser'))).toBe(
      'It is broken.\n\n---\n\n' +
        `Instructions of maintainer on issue #${number}:\n\nin the parser\n\nand nowhere else`,
    )
  })

  test('after the run of the same issue, or not, or instead of it', async () => {
    const number = await addIssue('owner')
    await comment('maintainer', number, '/agent wait')
    await become(number, ['queued'])
    await comment('maintainer', number, '/agent skip')
    await comment('maintainer', number, '/agent wait longer')
    // Deliveries about an issue are processed in order, so that the one before it is over.
    await until(isHeld, 'the second one does not wait', patience)
    expect(await triggersOf(number)).toEqual(['queued'])
    const [first] = (await runs()).filter(
      ({ spec }) => spec.implementation?.inline.source?.externalId === `${repository}#${number}`,
    )
    const patch = { type: 'merge', body: { spec: { cancel: true } } } as const
    await bed.client.patch(runKind, { namespace, name: first?.metadata.name ?? '' }, patch)
    await become(number, ['queued', 'queued'])
    await comment('maintainer', number, '/agent run')
    await become(number, ['again', 'queued', 'queued'])
    const all = (await runs()).filter(
      ({ spec }) => spec.implementation?.inline.source?.externalId === `${repository}#${number}`,
    )
    expect(all.filter(({ spec }) => spec.cancel !== true)).toHaveLength(1)
  })
})

describe('nothing is started', () => {
  test('by people who may not write', async () => {
    const number = await addIssue('reader', [])
    await comment('reader', number, '/agent run')
    await comment('maintainer', number, '/agent deploy')
    await fence(number)
    const events = await bed.events('TriggerRefused')
    expect(events).toContainEqual(expect.stringMatching(/reader has the permission read/))
    expect(events).toContainEqual(
      expect.stringMatching(/maintainer has the permission write .*needs admin/),
    )
  })

  test.each([
    { because: 'it is code', body: '```\n/agent run\n```' },
    { because: 'it is code by its indentation', body: '    /agent run' },
    { because: 'it is a quote', body: '> /agent run\n\nNo, do not.' },
    { because: 'it is hidden', body: '<!--\n/agent run\n-->' },
    { because: 'it does not start with the command', body: 'Please\n\n/agent run' },
    { because: 'it is another command', body: '/agent running' },
    { because: 'it is another case', body: '/Agent run' },
  ])('by a comment if $because', async ({ body }) => {
    const number = await addIssue('owner')
    await comment('maintainer', number, body)
    await fence(number)
  })

  test('by a comment that is edited into a command', async () => {
    const number = await addIssue('owner')
    const { id } = await comment('maintainer', number, 'Hello')
    const body = '/agent run'
    await gitea.api(token('owner'), 'PATCH', `${api}/issues/comments/${id}`, { body })
    await fence(number)
  })

  test('by a comment whose author is not its sender', async () => {
    const number = await addIssue('owner')
    const body = '/agent run'
    const forged = { id: 77_001, author: 'reader', sender: 'maintainer', number, body }
    expect(await (await deliver(forged)).json()).toMatchObject({ ignored: true })
    await fence(number)
  })

  test('by a user who took over the name of a maintainer', async () => {
    const number = await addIssue('owner')
    const forged = { id: 900_002, senderId: 999_999, number, body: '/agent run' }
    expect((await deliver(forged)).status).toBe(202)
    await fence(number)
    expect(await triggersOf(number)).toEqual(['again'])
    const message = `Trigger again for #${number} started nothing: maintainer has the permission none`
    expect((await bed.events('TriggerRefused')).join()).toContain(message)
  })

  test('for a repository that the source does not name', async () => {
    const number = await addIssue('owner')
    const forged = { number, body: '/agent run' }
    for (const [at, from] of ['owner/other', `${repository}-2`, `x/${repository}`].entries()) {
      expect((await deliver({ ...forged, id: 900_100 + at, from })).status).toBe(202)
    }
    await until(isIdle, 'not processed', patience)
    await fence(number)
    const ids = Object.keys(await bed.specs('issues'))
    expect(ids.filter((id) => !id.startsWith(`${repository}#`))).toEqual([])
  })

  test('twice for a repository that is spelled in another way', async () => {
    const number = await addIssue('owner')
    const forged = { id: 900_200, number, body: '/agent run' }
    await deliver({ ...forged, from: repository.toUpperCase() })
    await become(number, ['again'])
    await deliver(forged)
    await until(isIdle, 'not processed', patience)
    expect(await triggersOf(number)).toEqual(['again'])
  })

  test('twice by one comment, however it is delivered', async () => {
    const number = await addIssue('owner')
    const forged = { id: 77_002, number, body: '/agent run' }
    expect((await deliver(forged)).status).toBe(202)
    expect((await deliver(forged)).status).toBe(200)
    expect((await deliver(forged, ' ')).status).toBe(202)
    await become(number, ['again'])
    await bed.restartControllers()
    expect((await deliver(forged, '  ')).status).toBe(202)
    await until(isIdle, 'not processed', patience)
    expect(await triggersOf(number)).toEqual(['again'])
  })

  test('by the pull request of a fork', async () => {
    await gitea.api(token('reader'), 'POST', `${api}/forks`, {})
    const content = Buffer.from('steal').toString('base64')
    await gitea.api(token('reader'), 'POST', `/repos/reader/${namespace}/contents/steal.sh`, {
      ...{ content, branch: 'main', new_branch: 'steal', message: 'Improve' },
    })
    const made = { title: 'Improve', head: 'reader:steal', base: 'main' }
    const { number } = await gitea.api<{ number: number }>(
      ...([token('reader'), 'POST', `${api}/pulls`, made] as const),
    )
    await comment('maintainer', number, '/agent run')
    const review = { event: 'REQUEST_CHANGES', body: 'No.' }
    await gitea.api(token('maintainer'), 'POST', `${api}/pulls/${number}/reviews`, review)
    const before = (await runs()).length
    const other = await addIssue('owner')
    await fence(other)
    expect((await runs()).length).toBe(before + 1)
    const stored = bed.inbox().select('event')
    const found = await stored.where('subject', '=', `${repository}#${number}`).execute()
    expect(found.map(({ event }) => event).toSorted()).toEqual([
      'issue_comment',
      'pull_request_rejected',
    ])
  })

  test('in an issue that is closed, or that the source does not import', async () => {
    const number = await addIssue('owner')
    await gitea.api(token('owner'), 'PATCH', `${api}/issues/${number}`, { state: 'closed' })
    await comment('maintainer', number, '/agent run')
    await gitea.api(token('owner'), 'PATCH', `${api}/issues/${number}`, { state: 'open' })
    await fence(number)
  })
})

describe('issues that are opened and assigned', () => {
  const [fresh, path] = ['owner/fresh', '/repos/owner/fresh']

  async function open(by: string, title = 'Fix it'): Promise<number> {
    const body = { title, body: 'It is broken.' }
    return (await gitea.api<{ number: number }>(token(by), 'POST', `${path}/issues`, body)).number
  }

  async function startedBy(): Promise<readonly string[]> {
    const actor = 'agents.proompteng.ai/triggered-by'
    return (await runs())
      .filter(({ spec }) => spec.parameters?.repository === fresh)
      .map(
        ({ metadata, spec }) => `#${spec.parameters?.issueNumber} ${metadata.annotations?.[actor]}`,
      )
      .toSorted()
  }

  test('start runs, once, if it was somebody who may write', async () => {
    await gitea.api(token('owner'), 'POST', '/user/repos', { name: 'fresh', auto_init: true })
    const change = (by: string, at: string, body: object) =>
      gitea.api(token(by), at.startsWith('/issues') ? 'PATCH' : 'PUT', `${path}${at}`, body)
    await change('owner', '/collaborators/bot', { permission: 'admin' })
    await change('owner', '/collaborators/maintainer', { permission: 'write' })
    await bed.source('fresh', {
      ...{ provider: 'gitea', webhook: { enabled: true }, vcsRef: { name: 'hub' } },
      scope: { repository: fresh },
      triggers: [
        { name: 'opened', event: 'Opened', when: "!event.title.startsWith('Draft')", template },
        { name: 'assigned', event: 'Assigned', assignee: 'Bot', concurrency: 'Replace', template },
      ],
    })
    await gitea.api(token('owner'), 'POST', `${path}/hooks`, {
      ...{ type: 'gitea', active: true, events: ['issues'] },
      config: { url: bed.hookUrl('gitea', 'fresh'), content_type: 'json', secret },
    })
    await open('maintainer', 'Draft: Fix it')
    const [strange, own] = [await open('reader'), await open('maintainer')]
    for (const assignees of [['owner'], ['owner', 'bot'], ['bot'], ['bot', 'owner']]) {
      await change('maintainer', `/issues/${strange}`, { assignees })
    }
    const expected = [`#${strange} gitea:maintainer`, `#${own} gitea:maintainer`]
    await until(async () => (await startedBy()).length > 1, 'nothing started', patience)
    await until(isIdle, 'not processed', patience)
    expect(await startedBy()).toEqual(expected)
    expect((await bed.events('TriggerRefused')).join()).toContain(
      `Trigger opened for #${strange} started nothing: reader has the permission read`,
    )
  })
})
