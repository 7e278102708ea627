import { gitTarget } from '@agents/gittarget-api'
import {
  agent,
  agentProvider,
  agentRun,
  approvalPolicy,
  budget,
  implementationSpec,
  orchestration,
  schedule,
  secretBinding,
  signal,
} from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFull } from '../../support/tier.ts'
import { account } from './console-bed.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let bed: SharedBed

beforeAll(async () => {
  bed = await useConsoleBed()
})
afterAll(() => bed?.stop())

const group = 'approvals.proompteng.ai'
const inline = { implementation: { inline: { text: 'x' } } }
const run = { agentRef: { name: 'scripted' }, ...inline, runtime: { type: 'job' } }

/** What pages show live, where each is listed, and an edit of it. */
const shown = [
  {
    ...{ declared: agent, list: '/kinds/agents.agents.proompteng.ai' },
    spec: { providerRef: { name: 'scripted' }, defaults: { timeoutSeconds: 60 } },
    edit: ['timeoutSeconds: 60', 'timeoutSeconds: 61'],
  },
  {
    ...{ declared: orchestration, list: '/kinds/orchestrations.orchestration.proompteng.ai' },
    spec: { steps: [{ name: 'first', kind: 'AgentRun', agentRef: run.agentRef, ...inline }] },
    edit: ['name: first', 'name: second'],
  },
  {
    ...{ declared: schedule, list: '/kinds/schedules.schedules.proompteng.ai' },
    spec: { cron: '30 2 * * 1', template: { kind: 'AgentRun', spec: run } },
    edit: ['30 2 * * 1', '30 3 * * 1'],
  },
  {
    ...{ declared: budget, list: '/budgets' },
    spec: { limits: { tokens: '1000' }, scope: { agentRef: { name: 'nobody' } } },
    edit: ['"1000"', '"2000"'],
  },
  {
    ...{ declared: gitTarget, list: '/mirrors' },
    spec: { providerRef: { name: 'nowhere' }, branch: 'main', path: 'shared' },
    edit: ['suspend: false', 'suspend: true'],
  },
] as const

/** Kinds whose lists all look the same. */
const others = [
  [agentProvider, { binary: 'true' }],
  [implementationSpec, { text: 'x' }],
  [secretBinding, { allowedSecrets: [] }],
  [signal, {}],
  [gitTarget, { providerRef: { name: 'nowhere' }, branch: 'main', path: 'seen' }],
] as const

test.each(shown)(
  'another browser sees that $declared.kind was changed and deleted',
  async (each) => {
    const { declared, list, spec, edit } = each
    const name = `shared-${declared.plural}`
    await create(declared, name, spec)
    const at = `/kinds/${declared.plural}.${declared.group}/agents/${name}?view=yaml`
    const [one, two, three] = [
      await bed.signIn(undefined, at),
      await bed.signIn(undefined, at),
      await bed.signIn(undefined, list),
    ]
    const yaml = one.getByLabel('YAML').getByRole('textbox')
    await yaml.waitFor()
    await two.getByLabel('YAML').getByRole('textbox').waitFor()
    await yaml.fill((await yaml.inputValue()).replace(edit[0], edit[1]))
    await one.getByText('The server would accept this.').waitFor()
    await one.getByRole('button', { name: /^Save/ }).click()
    await one.getByText('Unchanged', { exact: true }).waitFor()
    await within(1000, () => two.getByText('It was changed by others meanwhile.').waitFor())
    const link = three.getByRole('main').getByRole('link', { name })
    await link.waitFor()
    await one.getByRole('button', { name: 'Delete', exact: true }).click()
    await one.getByRole('button', { name: 'Delete it' }).click()
    await one.waitForURL(/namespace=agents/)
    await within(1000, () => link.waitFor({ state: 'detached' }))
    expect([...one.complaints, ...two.complaints, ...three.complaints]).toEqual([])
  },
)

test('another browser sees a request for approval, and the decision about it', async () => {
  const token = await account(bed.admin, 'agents', 'approver', [
    { apiGroups: [group], resources: ['approvalrequests'], verbs: ['get', 'list'] },
    { apiGroups: [group], resources: ['approvaldecisions'], verbs: ['create', 'get', 'patch'] },
  ])
  const approvers = [{ kind: 'User', name: 'system:serviceaccount:agents:approver' }]
  await create(approvalPolicy, 'gate', { approvers })
  const [one, two] = [
    await bed.signIn(token, '/approvals?namespace=agents'),
    await bed.signIn(undefined, '/approvals'),
  ]
  const overview = await bed.signIn(undefined, '/')
  await create(agentRun, 'gated', { ...run, policy: { approvalPolicyRef: { name: 'gate' } } })
  await one.getByRole('article').filter({ hasText: 'AgentRun gated' }).waitFor()
  const request = two.getByRole('article').filter({ hasText: 'AgentRun gated' })
  await within(1000, () =>
    Promise.all([request.waitFor(), overview.getByText('1 request waits for approval').waitFor()]),
  )
  await one.getByRole('button', { name: 'Approve' }).click()
  await one.getByText('Nothing waits for a decision.').waitFor()
  await within(1000, () => two.getByText('Nothing waits for a decision.').waitFor())
  expect([...one.complaints, ...two.complaints]).toEqual([])
})

test('the same objects are shown in turn by pages that list them differently', async () => {
  const page = await bed.signIn(undefined, '/')
  await page.getByRole('region', { name: 'Running' }).waitFor()
  await page.getByRole('link', { name: 'Kinds' }).click()
  await page.getByRole('link', { name: 'ApprovalRequest' }).click()
  await page.getByRole('heading', { name: 'approvalrequests.approvals.proompteng.ai' }).waitFor()
  await page.getByRole('link', { name: 'New run' }).click()
  await page.getByLabel('Agent', { exact: true }).selectOption('scripted')
  await page.getByRole('link', { name: 'Kinds' }).click()
  await page.getByRole('link', { name: 'Agent', exact: true }).click()
  await page.getByLabel('Namespace').fill('agents')
  await expect.poll(() => page.url()).toContain('namespace=agents')
  await page.getByRole('link', { name: 'scripted' }).waitFor()
  expect(page.complaints).toEqual([])
})

test('objects of other kinds appear and vanish, without asking again and again', async () => {
  const page = await bed.signIn(undefined, '/kinds')
  await page.locator('[data-state=live]').waitFor()
  for (const [declared, spec] of others) {
    const name = `seen-${declared.plural}`
    const kind = `${declared.plural}.${declared.group}`
    await page.goto(`${bed.url}/kinds/${kind}?namespace=agents`)
    await page.getByRole('heading', { name: kind }).waitFor()
    await page.locator('[data-state=live]').waitFor()
    await untilQuiet(page)
    await create(declared, name, spec)
    const link = page.getByRole('link', { name })
    await within(1000, () => link.waitFor())
    await bed.admin.delete(kindRef<KubeObject>(declared), { namespace: 'agents', name })
    await within(1000, () => link.waitFor({ state: 'detached' }))
  }
  expect(page.complaints).toEqual([])
})

test('a page without the stream says so, and asks again instead', async () => {
  const page = await bed.signIn(undefined, '/runs')
  await page.route('**/v1/events*', (route) => route.abort())
  await page.goto(`${bed.url}/kinds/agents.agents.proompteng.ai?namespace=agents`)
  await page.getByText('Offline', { exact: true }).waitFor()
  await create(agent, 'asked-for', { providerRef: { name: 'scripted' } })
  const link = page.getByRole('link', { name: 'asked-for' })
  await within(2000, () => link.waitFor())
  await page.unroute('**/v1/events*')
  await page.locator('[data-state=live]').waitFor()
  await bed.admin.delete(kindRef<KubeObject>(agent), { namespace: 'agents', name: 'asked-for' })
  await within(1000, () => link.waitFor({ state: 'detached' }))
  expect(page.complaints).toEqual([])
})

/** The time is measured in a full run only. */
async function within(milliseconds: number, wait: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await wait()
  if (isFull) expect(performance.now() - began).toBeLessThan(milliseconds)
}

async function create(
  declared: Parameters<typeof kindRef>[0],
  name: string,
  spec: object,
): Promise<void> {
  const { group, version, kind } = declared
  const metadata = { name, namespace: 'agents' }
  const object = { apiVersion: `${group}/${version}`, kind, metadata, spec }
  await bed.admin.create(kindRef<KubeObject>(declared), object as KubeObject)
}

/** Waits until the page asks for no object for two seconds. The first lists come late on a busy machine. */
async function untilQuiet(page: Page): Promise<void> {
  const asked: string[] = []
  const note = (request: { url(): string }) => {
    if (request.url().includes('/v1/objects/')) asked.push(request.url())
  }
  page.on('request', note)
  const isQuiet = async () => {
    asked.length = 0
    await page.waitForTimeout(2000)
    return asked.length === 0
  }
  // A page that asks in intervals is never quiet: its intervals are shorter.
  await expect.poll(isQuiet, { timeout: 60_000 }).toBe(true)
  page.off('request', note)
}
