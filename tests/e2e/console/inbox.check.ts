import { createHash, createHmac } from 'node:crypto'
import { request } from 'node:https'
import {
  type ImplementationSource,
  implementationSource,
  implementationSpec,
} from '@agents/jangar-api'
import { type KubeObject, kindRef, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { axeFindings } from './axe.ts'
import { account } from './console-bed.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

const secret = 'the-secret-of-the-webhook'
const hidden = 'text-of-a-confidential-issue'
const namespace = 'agents'
const specs = kindRef<KubeObject>(implementationSpec)

let bed: SharedBed

beforeAll(async () => {
  bed = await useConsoleBed()
  await bed.admin.create(SecretKind, {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hook', namespace } },
    data: { token: Buffer.from(secret).toString('base64') },
  } as never)
  await bed.admin.create(kindRef<ImplementationSource>(implementationSource), {
    metadata: { name: 'issues', namespace },
    spec: {
      ...{ provider: 'gitea', webhook: { enabled: true } },
      auth: { secretRef: { name: 'hook' } },
    },
  } as never)
  await until(async () => (await deliver(1)) === 202)
}, 300_000)
afterAll(() => bed?.stop())

test('a delivery that failed is found, explained and processed again, by keyboard', async () => {
  // Somebody has the name that the issue would get.
  const name = nameOf(2)
  await bed.admin.create(specs, {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'ImplementationSpec' },
    ...{ metadata: { name, namespace }, spec: { text: 'own work' } },
  } as KubeObject)
  expect(await deliver(2)).toBe(202)
  const page = await bed.signIn(undefined, '/runs')
  const bodies = bodiesOf(page)
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  const done = page.getByRole('row').filter({ hasText: 'o/r#1' })
  await done.getByText('done', { exact: true }).waitFor()
  await page.getByLabel('State').selectOption('dead')
  await expect.poll(() => page.url()).toContain('state=dead')
  const row = page.getByRole('row').filter({ hasText: 'o/r#2' })
  await row.getByText('exists and was not imported by this source').waitFor({ timeout: 60_000 })
  // The list before the filter is shown until the next one has come.
  await done.waitFor({ state: 'detached' })
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  await row.getByRole('link', { name: 'o/r#2' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^Delivery \d+$/ }).waitFor()
  await page.getByText('dead', { exact: true }).waitFor()
  await page.getByText('gitea issues').waitFor()
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  await bed.admin.delete(specs, { namespace, name })
  await page.getByRole('button', { name: 'Process again' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('done', { exact: true }).waitFor({ timeout: 60_000 })
  const again = page.getByRole('button', { name: /^Process again/ })
  expect(await again.getAttribute('title')).toBe('only dead deliveries are processed again')
  expect((await bed.admin.get(specs, { namespace, name })).spec).toMatchObject({ text: hidden })
  // The content of a delivery reaches no browser.
  expect((await Promise.all(bodies)).join('\n')).not.toContain(hidden)
  expect(page.complaints).toEqual([])
})

test('a user without the right to list sources sees no delivery, and one without the right to update them cannot replay', async () => {
  const apiGroups = ['agents.proompteng.ai']
  const stranger = await account(bed.admin, namespace, 'runs-only', [
    { apiGroups, resources: ['agentruns'], verbs: ['get', 'list'] },
  ])
  const page = await bed.signIn(stranger, '/runs')
  const bodies = bodiesOf(page)
  await page.goto(`${bed.url}/inbox?namespace=agents`)
  const notice = page.getByRole('status').filter({ hasText: 'You may not:' })
  await notice.getByText('list implementationsources.agents.proompteng.ai').waitFor()
  await page.goto(`${bed.url}/inbox/agents/1`)
  await page.getByText('It cannot be read:').waitFor()
  expect((await Promise.all(bodies)).join('\n')).not.toContain('o/r#')
  const reader = await account(bed.admin, namespace, 'sources-reader', [
    { apiGroups, resources: ['implementationsources'], verbs: ['get', 'list'] },
  ])
  const viewport = { width: 320, height: 640 }
  const own = await bed.signIn(reader, '/inbox?namespace=agents', { viewport })
  await own.getByRole('link', { name: 'o/r#1' }).waitFor()
  expect(await own.evaluate('document.documentElement.scrollWidth')).toBe(320)
  await own.getByRole('link', { name: 'o/r#1' }).click()
  const replay = own.getByRole('button', { name: /^Process again/ })
  await expect
    .poll(() => replay.getAttribute('title'))
    .toBe(
      'you may not: update implementationsources.agents.proompteng.ai issues in namespace agents',
    )
  expect(await own.evaluate('document.documentElement.scrollWidth')).toBe(320)
  expect([...page.complaints, ...own.complaints]).toEqual([])
})

function bodiesOf(page: Awaited<ReturnType<SharedBed['signIn']>>): Promise<string>[] {
  const bodies: Promise<string>[] = []
  page.on('response', (response) => {
    if (response.url().includes('/v1/inbox')) bodies.push(response.text().catch(() => ''))
  })
  return bodies
}

/** The name of the object that an issue is imported as. */
function nameOf(issue: number): string {
  const digest = createHash('sha256').update(JSON.stringify(['issues', `o/r#${issue}`]))
  return `o-r-${issue}-${digest.digest('hex').slice(0, 10)}`
}

function deliver(number: number): Promise<number> {
  const body = JSON.stringify({
    action: 'opened',
    issue: {
      ...{ number, title: 'Broken', body: hidden, state: 'open', labels: [] },
      ...{ html_url: 'https://git.test/o/r/issues/1', updated_at: '2026-11-17T08:00:00Z' },
    },
    repository: { full_name: 'o/r' },
  })
  const headers = {
    'content-type': 'application/json',
    'x-gitea-event': 'issues',
    'x-gitea-signature': createHmac('sha256', secret).update(body).digest('hex'),
  }
  const url = `${bed.url}/api/agents/implementation-sources/webhooks/gitea/agents/issues`
  return new Promise((resolve, reject) => {
    // The certificate is tested elsewhere.
    const options = { method: 'POST', headers, agent: false, rejectUnauthorized: false }
    request(url, options, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end(body)
  })
}
