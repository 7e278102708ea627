import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, type ConsoleBed, startConsoleBed } from './console-bed.ts'

const runs = { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'] }

let bed: ConsoleBed
let reader: string
let stranger: string

beforeAll(async () => {
  bed = await startConsoleBed()
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

test('one without rights in a namespace is sent nothing of it', async () => {
  const page = await bed.signIn(stranger, '/runs')
  const bodies: string[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!pathname.startsWith('/v1/') || pathname === '/v1/events') return
    response.text().then(
      (text) => bodies.push(text),
      () => undefined,
    )
  })
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
    '/new?namespace=agents',
  ]) {
    await page.goto(`${bed.url}${path}`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await page.waitForTimeout(600)
    const shown = await page.getByRole('main').innerText()
    expect(shown).not.toContain('a secret task')
  }
  expect(bodies.length).toBeGreaterThan(10)
  expect(
    bodies.filter((text) => /a secret task|first-run-job|"items":\[\{"kind/.test(text)),
  ).toEqual([])
})

test('a code of another user does not take over the session', async () => {
  const page = await bed.signIn(reader, '/runs')
  await page.goto('about:blank')
  await page.goto(`${bed.url}/#code=${await bed.code(stranger)}`)
  await page.getByText('you are signed in as system:serviceaccount:agents:reader').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('system:serviceaccount:agents:reader').waitFor()
})
