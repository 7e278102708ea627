import { agentRun, approvalPolicy } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account } from './console-bed.ts'
import { followRequests } from './settled-page.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

const runs = { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'] }

let bed: SharedBed
let reader: string
let stranger: string

beforeAll(async () => {
  bed = await useConsoleBed()
  reader = await account(bed.admin, 'agents', 'reader', [{ ...runs, verbs: ['get', 'list'] }])
  stranger = await account(bed.admin, 'default', 'stranger', [{ ...runs, verbs: ['get', 'list'] }])
})
afterAll(() => bed?.stop())

test('a reader sees runs, and buttons say which right is missing', async () => {
  const page = await bed.signIn(reader, '/runs')
  await page.getByText('system:serviceaccount:agents:reader').waitFor()
  await page.getByRole('link', { name: 'first-run' }).click()
  const again = page.getByRole('button', { name: /Run again/ })
  await expect.poll(() => again.getAttribute('aria-disabled')).toBe('true')
  expect(await again.getAttribute('title')).toBe(
    'you may not: create agentruns.agents.proompteng.ai in namespace agents',
  )
  await again.click({ force: true })
  // Neither may the pods be read.
  await page.getByText('There is no log to show:').waitFor()
  await page.getByRole('link', { name: 'Checks' }).click()
  await page.getByText('all references are resolved and permitted').waitFor()
  const { items } = await bed.admin.list(
    {
      group: 'agents.proompteng.ai',
      version: 'v1alpha1',
      kind: 'AgentRun',
      plural: 'agentruns',
    } as never,
    { namespace: 'agents' },
  )
  expect(items).toHaveLength(1)
  await page.goto(`${bed.url}/new?of=scripted`)
  const start = page.getByRole('button', { name: /Start/ })
  await expect
    .poll(() => start.getAttribute('title'))
    .toBe('you may not: create agentruns.agents.proompteng.ai in namespace agents')
  expect(page.complaints).toEqual([])
})

test('each page says which right is missing', async () => {
  const page = await bed.signIn(stranger, '/runs')
  for (const [path, text] of [
    ['/budgets', 'list budgets.budgets.proompteng.ai in all namespaces'],
    ['/budgets?namespace=agents', 'list budgets.budgets.proompteng.ai in namespace agents'],
    ['/mirrors?namespace=agents', 'list gittargets.gitops.proompteng.ai in namespace agents'],
    ['/approvals', 'list approvalrequests.approvals.proompteng.ai in all namespaces'],
    ['/audit', 'list auditevents.agents.proompteng.ai in the cluster'],
  ] as const) {
    await page.goto(`${bed.url}${path}`)
    await page.getByRole('status').filter({ hasText: 'You may not:' }).getByText(text).waitFor()
  }
  await page.goto(`${bed.url}/cluster`)
  await page.getByText('not known: you may not list it').first().waitFor()
  const own = await bed.signIn(reader, '/runs/agents/first-run?view=events')
  await own.getByText('You may not: list events in namespace agents.').waitFor()
  await own.goto(`${bed.url}/runs/agents/first-run?view=artifacts`)
  await own.getByText('list artifacts.artifacts.proompteng.ai in namespace agents').waitFor()
  expect([...page.complaints, ...own.complaints]).toEqual([])
})

test('one who may only look sees at each button which right is missing', async () => {
  const verbs = ['get', 'list']
  const token = await account(bed.admin, 'agents', 'looker', [
    { apiGroups: ['agents.proompteng.ai'], resources: ['agents', 'agentruns'], verbs },
    { apiGroups: ['approvals.proompteng.ai'], resources: ['approvalrequests'], verbs },
  ])
  await create(approvalPolicy, 'gate', { approvers: [{ kind: 'User', name: 'approver' }] })
  await create(agentRun, 'gated', {
    ...{ agentRef: { name: 'scripted' }, implementation: { inline: { text: 'x' } } },
    ...{ runtime: { type: 'job' }, policy: { approvalPolicyRef: { name: 'gate' } } },
  })
  const at = '/kinds/agents.agents.proompteng.ai/agents/scripted?view=yaml'
  const page = await bed.signIn(token, at)
  const says = async (button: RegExp, right: string): Promise<void> => {
    const found = page.getByRole('button', { name: button })
    await expect
      .poll(() => found.getAttribute('title'))
      .toBe(`you may not: ${right} in namespace agents`)
    expect(await found.getAttribute('aria-disabled')).toBe('true')
  }
  await says(/^Delete/, 'delete agents.agents.proompteng.ai scripted')
  await says(/^Save/, 'update agents.agents.proompteng.ai scripted')
  await page.goto(`${bed.url}/approvals?namespace=agents`)
  await says(/^Approve/, 'create approvaldecisions.approvals.proompteng.ai')
  await says(/^Deny/, 'create approvaldecisions.approvals.proompteng.ai')
  await page.goto(`${bed.url}/runs/agents/gated`)
  await says(/^Cancel/, 'patch agentruns.agents.proompteng.ai gated')
  expect(page.complaints).toEqual([])
})

type Declared = Parameters<typeof kindRef>[0]

async function create(declared: Declared, name: string, spec: object): Promise<void> {
  const { group, version, kind } = declared
  const metadata = { name, namespace: 'agents' }
  const object = { apiVersion: `${group}/${version}`, kind, metadata, spec }
  await bed.admin.create(kindRef<KubeObject>(declared), object as KubeObject)
}

test('a reader cannot cancel selected runs, and sees why', async () => {
  await bed.platform.agentctl(
    ...['run', '--agent', 'scripted', '--text', 'x', '--name', 'going', '--no-wait'],
    ...['--param', 'scriptedMode=hang'],
  )
  const page = await bed.signIn(reader, '/runs')
  await page.getByRole('checkbox', { name: 'Select going' }).check()
  const cancel = page.getByRole('button', { name: /^Cancel 1/ })
  await expect
    .poll(() => cancel.getAttribute('title'))
    .toBe('you may not: patch agentruns.agents.proompteng.ai in namespace agents')
  expect((await bed.platform.agentctl('cancel', 'going')).code).toBe(0)
})

test('one without rights in a namespace is sent nothing of it, nor by the stream of events', async () => {
  const page = await bed.signIn(stranger, '/runs')
  const { bodies, streams } = await listen(page)
  const settled = followRequests(page)
  await page.reload()
  await page.getByText('There is no run that you may list.').waitFor()
  const { code } = await bed.platform.agentctl(
    'run',
    '--agent',
    'scripted',
    '--text',
    'a secret task',
    '--name',
    'of-others',
  )
  expect(code).toBe(0)
  for (const path of [
    '/',
    '/runs?namespace=agents',
    '/runs/agents/of-others',
    '/kinds/agents.agents.proompteng.ai',
    '/kinds/agents.agents.proompteng.ai/agents/scripted',
    '/approvals?namespace=agents',
    '/budgets?namespace=agents',
    '/mirrors?namespace=agents',
    '/runs?namespace=agents&source=archive&text=secret',
    '/runs/agents/of-others?view=events',
    '/runs/agents/of-others?view=artifacts',
    '/audit',
    '/cluster',
    '/new?namespace=agents',
  ]) {
    await page.goto(`${bed.url}${path}`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await settled()
    const shown = await page.getByRole('main').innerText()
    expect(shown).not.toContain('a secret task')
  }
  const { code: later } = await bed.platform.agentctl(
    ...['run', '--agent', 'scripted', '--text', 'a secret task', '--name', 'of-others-too'],
  )
  expect(later).toBe(0)
  expect(bodies.length).toBeGreaterThan(10)
  // Errors repeat the names that were asked for.
  const ofOthers = /a secret task|of-others|first-run|"namespace":"agents"/
  expect(
    bodies.filter((text) => ofOthers.test(text.replaceAll(/"error":"(?:\\.|[^"\\])*"/g, ''))),
  ).toEqual([])
  // The stream was open and spoke, of nothing that belongs to others.
  expect(streams()).toContain('event: ready')
  expect(streams()).not.toMatch(ofOthers)
  // One who may list them is sent them.
  const own = await bed.signIn(reader, '/runs')
  const heard = await listen(own)
  await own.reload()
  await own.getByText('Live', { exact: true }).waitFor()
  await bed.platform.agentctl(
    ...['run', '--agent', 'scripted', '--text', 'x', '--name', 'of-others-now'],
  )
  await expect.poll(() => heard.streams()).toContain('of-others-now')
})

/** The bodies of answers as the browser receives them, of those without an end as well. */
async function listen(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const bodies: string[] = []
  const pieces: string[] = []
  const watched = new Set<string>()
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    if (new URL(response.url).pathname !== '/v1/events') return
    watched.add(requestId)
    void devtools
      .send('Network.streamResourceContent', { requestId })
      .then(({ bufferedData }) => pieces.push(bufferedData))
      .catch(() => undefined)
  })
  devtools.on('Network.dataReceived', ({ requestId, data }) => {
    if (watched.has(requestId) && data !== undefined) pieces.push(data)
  })
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!pathname.startsWith('/v1/') || pathname === '/v1/events') return
    response.text().then(
      (text) => bodies.push(text),
      () => undefined,
    )
  })
  const streams = (): string =>
    pieces.map((piece) => Buffer.from(piece, 'base64').toString('utf8')).join('')
  return { bodies, streams }
}

test('a code of another user does not take over the session', async () => {
  const page = await bed.signIn(reader, '/runs')
  await page.goto('about:blank')
  await page.goto(`${bed.url}/#code=${await bed.code(stranger)}`)
  await page.getByText('you are signed in as system:serviceaccount:agents:reader').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('system:serviceaccount:agents:reader').waitFor()
})
