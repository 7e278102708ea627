import { agentRun, approvalPolicy, budget } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WatchedPage } from './console-bed.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let bed: SharedBed
let page: WatchedPage

beforeAll(async () => {
  bed = await useConsoleBed()
  page = await bed.signIn(undefined, '/')
  await headed(page, 'Overview')
})
afterAll(() => bed?.stop())

/** Presses Tab until what has the focus has this name. */
async function tabTo(name: string): Promise<void> {
  const nameOf = `(() => {
    const { activeElement: at } = document
    const label = at.labels?.[0]?.textContent ?? at.getAttribute('aria-label') ?? at.textContent
    return label.trim()
  })()`
  for (let presses = 0; presses < 120; presses += 1) {
    if (((await page.evaluate(nameOf)) as string).startsWith(name)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} is not reached`)
}

/** Presses what has this name. */
async function press(name: string): Promise<void> {
  await tabTo(name)
  await page.keyboard.press('Enter')
}

/** Goes by the keys of all pages, which fields keep for themselves. */
async function go(key: string, heading: string): Promise<void> {
  const isInField = "['INPUT', 'TEXTAREA', 'SELECT'].includes(document.activeElement.tagName)"
  for (let presses = 0; presses < 20 && (await page.evaluate(isInField)); presses += 1) {
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('g')
  await page.keyboard.press(key)
  await headed(page, heading)
}

async function headed(at: Page, name: string): Promise<void> {
  await at.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
}

test('an object is found among the kinds, edited, saved and deleted', async () => {
  await create(budget, 'limit', { limits: { tokens: '1000' }, window: 'day' })
  await go('k', 'Kinds')
  await press('Budget')
  await page.getByRole('link', { name: 'limit', exact: true }).waitFor()
  await press('limit')
  await headed(page, 'limit')
  await press('YAML')
  await tabTo('YAML')
  const yaml = page.getByLabel('YAML').getByRole('textbox')
  await yaml.waitFor()
  for (let presses = 0; presses < 60 && !(await isFocused(yaml)); presses += 1) {
    await page.keyboard.press('Tab')
  }
  expect(await isFocused(yaml)).toBe(true)
  const text = (await yaml.inputValue()).replace(/tokens: .*/, 'tokens: "2000"')
  expect(text).toContain('2000')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
  // Its status changes meanwhile, which is no edit.
  await bed.admin.request({
    method: 'PATCH',
    path: '/apis/budgets.proompteng.ai/v1alpha1/namespaces/agents/budgets/limit/status',
    contentType: 'application/merge-patch+json',
    body: { status: { observedGeneration: 99 } },
  })
  await page.getByText('The server would accept this.').waitFor()
  await press('Save')
  await page.getByText('Unchanged', { exact: true }).waitFor()
  await go('b', 'Budgets')
  const card = page.getByRole('article', { name: 'Budget limit' })
  await card.getByText(/of 2,000$/).waitFor()
  await press('Its runs')
  await headed(page, 'Runs')
  await go('b', 'Budgets')
  await page.keyboard.press('/')
  await page.keyboard.type('agents')
  await expect.poll(() => page.url()).toContain('namespace=agents')
  await card.waitFor()
  await press(await card.getByRole('link').first().innerText())
  await headed(page, 'limit')
  await press('Delete')
  await page.getByRole('dialog').waitFor()
  await press('Delete it')
  await expect.poll(() => page.url()).not.toContain('/limit')
  await expect.poll(() => page.getByRole('link', { name: 'limit' }).count()).toBe(0)
  expect(page.complaints).toEqual([])
})

test('a request is approved, with a comment', async () => {
  await create(approvalPolicy, 'gate', {
    approvers: [{ kind: 'User', name: 'admin' }],
    allowSelfApproval: true,
  })
  await create(agentRun, 'gated', {
    ...{ agentRef: { name: 'scripted' }, implementation: { inline: { text: 'x' } } },
    ...{ runtime: { type: 'job' }, policy: { approvalPolicyRef: { name: 'gate' } } },
  })
  await go('a', 'Approvals')
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await tabTo('Comment')
  await page.keyboard.type('seen')
  await press('Approve')
  await page.getByRole('listitem').filter({ hasText: 'Approved' }).waitFor()
  expect(page.complaints).toEqual([])
})

test('mirrors, the audit and the cluster are read, filtered and checked', async () => {
  await go('m', 'Mirrors')
  await page.getByRole('link', { name: 'agents / mirror' }).waitFor()
  await press('agents / mirror')
  await headed(page, 'mirror')
  await go('u', 'Audit')
  await page.getByRole('button', { name: 'Check that it is whole' }).waitFor()
  await press('Read again')
  await tabTo('Operation')
  await page.keyboard.type('reviewAccess')
  await expect.poll(() => page.url()).toContain('action=reviewAccess')
  await tabTo('Outcome')
  await page.keyboard.press('a')
  await expect.poll(() => page.url()).toContain('outcome=allowed')
  await press('Check that it is whole')
  await page.getByText(/[\d,]+ entries fit together/).waitFor()
  await go('c', 'Cluster')
  await press('GitTarget')
  await page.getByRole('link', { name: 'mirror', exact: true }).waitFor()
  expect(page.complaints).toEqual([])
})

test('the archive is searched, and the artifacts and events of a run are opened', async () => {
  await go('r', 'Runs')
  await page.keyboard.press('/')
  await page.keyboard.type('first')
  await expect.poll(() => page.url()).toContain('text=first')
  await tabTo('Where')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.url()).toContain('source=cluster')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.url()).toContain('source=archive')
  await press('Clear')
  await page.getByRole('link', { name: 'first-run' }).waitFor()
  await press('first-run')
  await headed(page, 'first-run')
  await press('Artifacts')
  await page.getByRole('button', { name: 'Download transcript.md' }).waitFor()
  const download = page.waitForEvent('download')
  await press('Download transcript.md')
  expect((await download).suggestedFilename()).toBe('transcript.md')
  await press('Events')
  await expect.poll(() => page.url()).toContain('view=events')
  expect(page.complaints).toEqual([])
})

async function isFocused(field: ReturnType<Page['locator']>): Promise<boolean> {
  return await field.evaluate((element) => element === element.ownerDocument.activeElement)
}

type Declared = Parameters<typeof kindRef>[0]

async function create(declared: Declared, name: string, spec: object): Promise<void> {
  const { group, version, kind } = declared
  const metadata = { name, namespace: 'agents' }
  const object = { apiVersion: `${group}/${version}`, kind, metadata, spec }
  await bed.admin.create(kindRef<KubeObject>(declared), object as KubeObject)
}
