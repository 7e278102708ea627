import { agent, approvalPolicy, orchestration, orchestrationRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account } from './console-bed.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

const agents = kindRef<KubeObject>(agent)

let bed: SharedBed

beforeAll(async () => {
  bed = await useConsoleBed()
})
afterAll(() => bed?.stop())

test('an object is edited as YAML: refusals at their line, saved in the version that was read', async () => {
  await create(agents, 'Agent', 'agents.proompteng.ai', 'edited', {
    providerRef: { name: 'scripted' },
    defaults: { timeoutSeconds: 60 },
  })
  const at = '/kinds/agents.agents.proompteng.ai/agents/edited?view=yaml'
  const page = await bed.signIn(undefined, at)
  const yaml = page.getByLabel('YAML').getByRole('textbox')
  await yaml.waitFor()
  const before = await yaml.inputValue()
  await yaml.fill(before.replace('timeoutSeconds: 60', 'timeoutSeconds: -1'))
  await page.getByText('spec.defaults.timeoutSeconds: Invalid value').waitFor()
  const line = before.split('\n').findIndex((each) => each.includes('timeoutSeconds')) + 1
  await page.getByRole('button', { name: `line ${line}` }).waitFor()
  const save = page.getByRole('button', { name: /^Save/ })
  expect(await save.getAttribute('aria-disabled')).toBe('true')
  await yaml.fill(before.replace('timeoutSeconds: 60', 'timeoutSeconds: 61'))
  await page.getByText('The server would accept this.').waitFor()
  await save.click()
  await expect.poll(() => timeoutOf('edited')).toBe(61)
  // Somebody else changes it meanwhile: the new version is offered.
  await yaml.fill(before.replace('timeoutSeconds: 60', 'timeoutSeconds: 62'))
  await bed.admin.request({
    method: 'PATCH',
    path: '/apis/agents.proompteng.ai/v1alpha1/namespaces/agents/agents/edited',
    contentType: 'application/merge-patch+json',
    body: { spec: { defaults: { timeoutSeconds: 63 } } },
  })
  await page.getByText('It was changed by others meanwhile.').waitFor()
  await page.getByRole('button', { name: 'Show the new version' }).click()
  await expect.poll(() => yaml.inputValue()).toContain('timeoutSeconds: 63')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.getByRole('link', { name: 'scripted' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'edited' }).count()).toBe(0)
  expect(page.complaints).toEqual([])
})

test('a run waits for an approval, which another user gives in the console', async () => {
  const token = await account(bed.admin, 'agents', 'approver', [
    {
      apiGroups: ['approvals.proompteng.ai'],
      resources: ['approvalrequests', 'approvalpolicies'],
      verbs: ['get', 'list'],
    },
    {
      apiGroups: ['approvals.proompteng.ai'],
      resources: ['approvaldecisions'],
      verbs: ['create', 'get', 'patch'],
    },
    { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'], verbs: ['get', 'list'] },
  ])
  await create(
    kindRef<KubeObject>(approvalPolicy),
    'ApprovalPolicy',
    'approvals.proompteng.ai',
    'gate',
    {
      approvers: [{ kind: 'User', name: 'system:serviceaccount:agents:approver' }],
    },
  )
  const page = await bed.signIn(undefined, '/new?of=scripted')
  await page.getByLabel('Task').fill('Delete everything')
  await page.getByLabel('Name', { exact: true }).fill('gated')
  const yaml = page.getByLabel('YAML')
  await yaml.fill(`${await yaml.inputValue()}  policy:\n    approvalPolicyRef:\n      name: gate\n`)
  await page.locator('[data-check=valid]').waitFor()
  await page.getByRole('button', { name: 'Start' }).click()
  await page.locator('.page-head').getByText('Pending', { exact: true }).waitFor()
  const approver = await bed.signIn(token, '/approvals?namespace=agents')
  const request = approver.getByRole('article').filter({ hasText: 'AgentRun gated' })
  await request.getByText('Delete everything').waitFor()
  await request.getByLabel('Comment').fill('seen')
  await request.getByRole('button', { name: 'Approve' }).click()
  await page.locator('.page-head').getByText('Succeeded', { exact: true }).waitFor()
  await approver.getByText('Nothing waits for a decision.').waitFor()
  expect([...page.complaints, ...approver.complaints]).toEqual([])
})

test('the graph of a run leads to its steps, and runs again from one', async () => {
  const step = (name: string, dependsOn: readonly string[], mode: string) => ({
    ...{ name, kind: 'AgentRun', dependsOn, agentRef: { name: 'scripted' } },
    implementation: { inline: { text: name } },
    with: { scriptedMode: mode },
  })
  const group = 'orchestration.proompteng.ai'
  await create(kindRef<KubeObject>(orchestration), 'Orchestration', group, 'graph', {
    steps: [step('plan', [], 'succeed'), step('build', ['plan'], 'fail')],
  })
  await create(kindRef<KubeObject>(orchestrationRun), 'OrchestrationRun', group, 'graph-1', {
    orchestrationRef: { name: 'graph' },
  })
  const page = await bed.signIn(undefined, '/runs/agents/graph-1')
  await page.locator('.page-head').getByText('Failed', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Run again from build' }).click()
  await page.getByRole('heading', { name: /^graph-1-/ }).waitFor()
  await page.locator('.page-head').getByText('Failed', { exact: true }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'build' }).getByRole('link').click()
  await page.getByText('cannot complete the task').first().waitFor()
  expect(page.complaints).toEqual([])
})

async function timeoutOf(name: string): Promise<unknown> {
  const { spec } = (await bed.admin.get(agents, { namespace: 'agents', name })) as {
    spec?: { defaults?: { timeoutSeconds?: number } }
  }
  return spec?.defaults?.timeoutSeconds
}

async function create(
  kind: ReturnType<typeof kindRef<KubeObject>>,
  name: string,
  group: string,
  object: string,
  spec: object,
): Promise<void> {
  await bed.admin.create(kind, {
    apiVersion: `${group}/v1alpha1`,
    kind: name,
    metadata: { name: object, namespace: 'agents' },
    spec,
  } as KubeObject)
}
