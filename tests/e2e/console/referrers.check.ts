import { agent, agentRun, budget, orchestration, schedule } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account } from './console-bed.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let bed: SharedBed

const inline = { implementation: { inline: { text: 'x' } } }
const run = { agentRef: { name: 'scripted' }, ...inline, runtime: { type: 'job' } }
const agents = '/kinds/agents.agents.proompteng.ai/agents'

beforeAll(async () => {
  bed = await useConsoleBed()
  const steps = [{ name: 'first', kind: 'AgentRun', agentRef: run.agentRef, ...inline }]
  await create(orchestration, 'calls-it', { steps })
  const template = { kind: 'AgentRun', spec: run }
  await create(schedule, 'plans-it', { cron: '30 2 * * 1', template })
  await create(budget, 'limits-it', { limits: { tokens: '1' }, scope: { agentRef: run.agentRef } })
  await create(agent, 'alone', { providerRef: { name: 'scripted' } })
})
afterAll(() => bed?.stop())

test('an Agent shows the objects that refer to it, by keyboard, and leads to them', async () => {
  const page = await bed.signIn(undefined, `${agents}/scripted`)
  const tab = page.getByRole('link', { name: 'Referred to by' })
  await tab.focus()
  await page.keyboard.press('Enter')
  for (const [kind, name, field] of [
    ['agentruns.agents.proompteng.ai', 'first-run', 'spec.agentRef'],
    ['orchestrations.orchestration.proompteng.ai', 'calls-it', 'spec.steps.agentRef'],
    ['schedules.schedules.proompteng.ai', 'plans-it', 'spec.template.spec.agentRef'],
    ['budgets.budgets.proompteng.ai', 'limits-it', 'spec.scope.agentRef'],
  ] as const) {
    const row = page.getByRole('region', { name: kind, exact: true }).getByRole('row')
    await row.filter({ hasText: name }).getByText(field, { exact: true }).waitFor()
  }
  await page.getByRole('link', { name: 'calls-it' }).click()
  await page.waitForURL(/orchestrations\.orchestration\.proompteng\.ai\/agents\/calls-it$/)
  await page.goBack()
  await page.getByRole('link', { name: 'first-run' }).click()
  await page.waitForURL(/\/runs\/agents\/first-run/)
  await page.goto(
    `${bed.url}/kinds/agentproviders.agents.proompteng.ai/agents/scripted?view=references`,
  )
  await page.getByRole('link', { name: 'alone' }).waitFor()
  await page.goto(`${bed.url}${agents}/alone?view=references`)
  await page.getByText('Nothing refers to it.').waitFor()
  expect(page.complaints).toEqual([])
})

test('a run that is started appears among them', async () => {
  const page = await bed.signIn(undefined, `${agents}/alone?view=references`)
  await page.getByText('Nothing refers to it.').waitFor()
  await create(agentRun, 'newcomer', { ...run, agentRef: { name: 'alone' } })
  await page.getByRole('link', { name: 'newcomer' }).waitFor()
  expect(page.complaints).toEqual([])
})

test('a user without the right to list a kind gets none of its objects, and sees why', async () => {
  const token = await account(bed.admin, 'agents', 'agents-only', [
    { apiGroups: ['agents.proompteng.ai'], resources: ['agents'], verbs: ['get', 'list'] },
    { apiGroups: ['schedules.proompteng.ai'], resources: ['schedules'], verbs: ['get', 'list'] },
  ])
  const page = await bed.signIn(token, `${agents}/scripted`)
  const bodies: Promise<string>[] = []
  page.on('response', (response) => {
    if (response.url().includes('/v1/') && response.status() === 200 && !isStream(response)) {
      bodies.push(response.text())
    }
  })
  await page.getByRole('link', { name: 'Referred to by' }).click()
  await page.getByRole('link', { name: 'plans-it' }).waitFor()
  const notice = page.getByRole('status').filter({ hasText: 'You may not:' })
  await notice.getByText('agentruns.agents.proompteng.ai').waitFor()
  const all = (await Promise.all(bodies)).join('\n')
  expect(all).toContain('plans-it')
  for (const hidden of ['first-run', 'calls-it', 'limits-it']) expect(all).not.toContain(hidden)
  expect(page.complaints).toEqual([])
})

function isStream(response: { headers(): Record<string, string> }): boolean {
  return response.headers()['content-type']?.startsWith('text/event-stream') === true
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
