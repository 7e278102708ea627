import { agent, approvalPolicy, orchestration, orchestrationRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from './axe.ts'
import { account, type WatchedPage } from './console-bed.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

const readRequests = {
  apiGroups: ['approvals.proompteng.ai'],
  resources: ['approvalrequests', 'approvalpolicies'],
  verbs: ['get', 'list'],
}
const decide = {
  apiGroups: ['approvals.proompteng.ai'],
  resources: ['approvaldecisions'],
  verbs: ['create'],
}
const readRuns = {
  apiGroups: ['agents.proompteng.ai', 'orchestration.proompteng.ai'],
  resources: ['agentruns', 'orchestrationruns'],
  verbs: ['get', 'list'],
}

let bed: SharedBed
let approver: string

beforeAll(async () => {
  bed = await useConsoleBed()
  approver = await account(bed.admin, 'agents', 'approver', [readRequests, decide, readRuns])
  const approvers = [{ kind: 'ServiceAccount', name: 'approver' }]
  await create(approvalPolicy, 'people', { approvers })
  const step = (name: string, dependsOn: readonly string[]) => ({
    ...{ name, kind: 'AgentRun', dependsOn, agentRef: { name: 'scripted' } },
    implementation: { inline: { text: `${name} {{ parameters.target }}` } },
  })
  await create(orchestration, 'deploy', {
    parameters: [{ name: 'target', required: true }],
    steps: [
      step('plan', []),
      {
        ...{ name: 'gate', kind: 'ApprovalGate', dependsOn: ['plan'], policyRef: 'people' },
        with: { where: '{{ parameters.target }}' },
      },
      step('apply', ['gate']),
    ],
  })
})
afterAll(() => bed?.stop())

test('a step is approved in the graph, and the next one shows what changed since', async () => {
  await startRun('deploy-1', 'staging')
  const page = await bed.signIn(approver, '/runs/agents/deploy-1?kind=OrchestrationRun')
  const first = await openDecision(page, 'step gate')
  await first.getByText('apply: AgentRun scripted after gate').waitFor()
  await first.getByText('Nothing of this kind that you may read was approved before').waitFor()
  await first.getByRole('button', { name: 'Approve' }).click()
  await first.getByText('Your decision counts.').waitFor()
  await first.getByRole('button', { name: 'Close' }).click()
  await phaseIs(page, 'Succeeded')
  await page.getByRole('link', { name: 'Timeline' }).click()
  const rows = page.getByRole('row')
  await rows.filter({ hasText: 'apply' }).getByText('Succeeded').waitFor()
  const names = await page.getByRole('rowheader').allInnerTexts()
  expect(names.slice(names.indexOf('plan'))).toEqual(['plan', 'gate', 'apply', 'Work'])
  await startRun('deploy-2', 'production')
  await page.goto(`${bed.url}/runs/agents/deploy-2?kind=OrchestrationRun`)
  const second = await openDecision(page, 'step gate')
  await second.getByText('Compared with deploy-1').waitFor()
  const summary = second.getByRole('region', { name: 'Changes: Summary' })
  expect(await changesOf(summary)).toEqual([
    ...['− Parameters: {"target":"staging"}', '+ Parameters: {"target":"production"}'],
    ...['−     "where": "staging"', '+     "where": "production"'],
  ])
  const content = second.getByRole('region', { name: 'Changes: What runs' })
  expect(await changesOf(content)).toEqual(['−   target: staging', '+   target: production'])
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  await second.getByLabel('Comment').fill('not today')
  await second.getByRole('button', { name: 'Deny' }).click()
  await second.getByText('Your decision counts.').waitFor()
  await second.getByRole('button', { name: 'Close' }).click()
  await phaseIs(page, 'Failed')
  expect(page.complaints).toEqual([])
})

test('an approval of a run that only the archive has is compared, too, by keyboard at 320 pixels', async () => {
  await startRun('deploy-3', 'moon')
  const viewport = { width: 320, height: 640 }
  const page = await bed.signIn(approver, '/runs/agents/deploy-3?kind=OrchestrationRun', {
    viewport,
  })
  await decideButton(page, 'step gate').waitFor()
  await remove('deploy-1')
  await remove('deploy-2')
  const archived = await bed.signIn(approver, '/runs?namespace=agents&source=archive&text=deploy-1')
  await archived.getByRole('link', { name: 'deploy-1', exact: true }).waitFor({ timeout: 90_000 })
  await decideButton(page, 'step gate').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Decide about step gate' })
  await dialog.getByText('Compared with deploy-1').waitFor()
  await dialog.getByText('Its request is gone').waitFor()
  const content = dialog.getByRole('region', { name: 'Changes: What runs' })
  expect(await changesOf(content)).toEqual(['−   target: staging', '+   target: moon'])
  expect(await page.evaluate(tooWide)).toEqual([])
  await dialog.getByLabel('Comment').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await dialog.getByText('Your decision counts.').waitFor()
  await page.keyboard.press('Escape')
  await phaseIs(page, 'Succeeded')
  expect(page.complaints).toEqual([])
})

test('what changes while the window is open is not decided, and the page says so', async () => {
  await create(agent, 'watched', { providerRef: { name: 'scripted' } })
  const approvers = [{ kind: 'ServiceAccount', name: 'approver' }]
  const subjects = [{ kind: 'Agent', name: 'watched' }]
  await create(approvalPolicy, 'watched', { approvers, subjects })
  const implementation = { inline: { text: 'x' } }
  const steps = [{ name: 'only', kind: 'AgentRun', agentRef: { name: 'watched' }, implementation }]
  await create(orchestration, 'changing', { steps })
  await create(orchestrationRun, 'changing-1', { orchestrationRef: { name: 'changing' } })
  const page = await bed.signIn(approver, '/runs/agents/changing-1?kind=OrchestrationRun')
  // The page does not learn of the change before the decision: its lists stay as they were.
  const dialog = await openDecision(page, 'step only')
  const digest = await dialog.locator('dd code').getAttribute('title')
  await page.route(/objects\/approvalrequests\.[^/]+\?/, () => undefined)
  await changeAgent(41)
  await expect.poll(openDigests).not.toContain(digest)
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await dialog.getByText(/^Not decided: what would run has changed/).waitFor()
  await page.unroute(/objects\/approvalrequests\.[^/]+\?/)
  await page.reload()
  // Now it learns of it, and offers the new request.
  const again = await openDecision(page, 'step only')
  await changeAgent(42)
  await again.getByText(/It can no longer be decided: what would run has changed/).waitFor()
  const approve = again.getByRole('button', { name: /^Approve/ })
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await again.getByRole('button', { name: 'Show the new request' }).click()
  await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('false')
  await approve.click()
  await again.getByText('Your decision counts.').waitFor()
  await again.getByRole('button', { name: 'Close' }).click()
  await phaseIs(page, 'Succeeded')
  expect(page.complaints).toEqual([])
})

test('a user who may not decide sees which right is missing, or why the decision would not count', async () => {
  await startRun('deploy-4', 'mars')
  const at = '/runs/agents/deploy-4?kind=OrchestrationRun'
  const blind = await account(bed.admin, 'agents', 'blind', [readRuns])
  const onlyRuns = await bed.signIn(blind, at)
  const button = decideButton(onlyRuns, 'step gate')
  await button.waitFor()
  expect(await button.getAttribute('title')).toContain('you may not: list approvalrequests')
  const reader = await account(bed.admin, 'agents', 'reader', [readRuns, readRequests])
  const page = await bed.signIn(reader, at)
  const dialog = await openDecision(page, 'step gate')
  const deny = dialog.getByRole('button', { name: /^Deny/ })
  await expect
    .poll(() => deny.getAttribute('title'))
    .toMatch(/you may not: create approvaldecisions/)
  // The overview names what waits for the reader, and only counts the rest.
  await bindEverywhere('approver')
  const mine = await bed.signIn(approver, '/')
  await mine.getByText('1 request waits for you:').waitFor()
  await mine.getByRole('region', { name: 'Approvals' }).getByText('deploy-4').waitFor()
  const admin = await bed.signIn(undefined, '/')
  await admin.getByText('1 request waits for approval').waitFor()
  await admin.goto(`${bed.url}${at}`)
  const other = await openDecision(admin, 'step gate')
  const approve = other.getByRole('button', { name: /^Approve/ })
  await expect
    .poll(() => approve.getAttribute('title'))
    .toBe('you are not an approver of ApprovalPolicy people')
  expect([...page.complaints, ...onlyRuns.complaints, ...admin.complaints]).toEqual([])
})

function decideButton(page: WatchedPage, about: string) {
  return page.getByRole('button', { name: `Decide about ${about}` })
}

async function openDecision(page: WatchedPage, about: string) {
  await decideButton(page, about).click({ timeout: 60_000 })
  const dialog = page.getByRole('dialog', { name: `Decide about ${about}` })
  await dialog.waitFor()
  return dialog
}

/** Lets the account list requests and policies in all namespaces, as the overview does. */
async function bindEverywhere(name: string): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const metadata = { name: `reads-approvals-${name}` }
  const rules = [readRequests, readRuns]
  const role = { metadata, rules }
  await bed.admin.request({ method: 'POST', path: `${rbac}/clusterroles`, body: role })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', ...metadata }
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'agents' }]
  const body = { metadata, roleRef, subjects }
  await bed.admin.request({ method: 'POST', path: `${rbac}/clusterrolebindings`, body })
}

/** What reaches beyond the edge of the window, unless it can be scrolled. */
const tooWide = `[...document.querySelectorAll('dialog *')]
  .filter((each) => each.closest('.diff, .long-text') === null || each.matches('.diff, .long-text'))
  .filter((each) => each.getBoundingClientRect().right > 320)
  .map((each) => each.outerHTML.slice(0, 120))`

/** The lines that differ, as they are read. */
async function changesOf(region: ReturnType<WatchedPage['getByRole']>): Promise<readonly string[]> {
  await region.waitFor()
  return await region.locator('ins, del').allInnerTexts()
}

async function phaseIs(page: WatchedPage, phase: string): Promise<void> {
  await page.locator('.page-head').getByText(phase, { exact: true }).waitFor({ timeout: 60_000 })
}

type Declared = Parameters<typeof kindRef>[0]

async function create(declared: Declared, name: string, spec: object): Promise<void> {
  const { group, version, kind } = declared
  const metadata = { name, namespace: 'agents' }
  const object = { apiVersion: `${group}/${version}`, kind, metadata, spec }
  await bed.admin.create(kindRef<KubeObject>(declared), object as KubeObject)
}

async function startRun(name: string, target: string): Promise<void> {
  const parameters = { target }
  await create(orchestrationRun, name, { orchestrationRef: { name: 'deploy' }, parameters })
}

async function remove(name: string): Promise<void> {
  const path = '/apis/orchestration.proompteng.ai/v1alpha1/namespaces/agents/orchestrationruns'
  await bed.admin.request({ method: 'DELETE', path: `${path}/${name}` })
}

async function changeAgent(timeoutSeconds: number): Promise<void> {
  await bed.admin.request({
    method: 'PATCH',
    path: '/apis/agents.proompteng.ai/v1alpha1/namespaces/agents/agents/watched',
    contentType: 'application/merge-patch+json',
    body: { spec: { defaults: { timeoutSeconds } } },
  })
}

/** Of all requests that wait. */
async function openDigests(): Promise<readonly string[]> {
  const path = '/apis/approvals.proompteng.ai/v1alpha1/namespaces/agents/approvalrequests'
  const { bytes } = await bed.admin.request({ method: 'GET', path })
  const { items } = JSON.parse(bytes.toString('utf8')) as {
    readonly items: readonly { spec: { digest: string; cancel?: boolean } }[]
  }
  return items.flatMap(({ spec }) => (spec.cancel === true ? [] : [spec.digest]))
}
