import { type Artifact, agent, agentProvider, agentRun, artifact } from '@agents/jangar-api'
import { type KubeObject, kindRef, PodKind } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from './axe.ts'
import { account } from './console-bed.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let bed: SharedBed

beforeAll(async () => {
  bed = await useConsoleBed()
})
afterAll(() => bed?.stop())

const markup = '<script>window.attacked=1</script>'
const namespace = 'agents'

/** Prints hostile text and more lines than a screen has. */
const prints = `
printf '%s\\n' '${markup}'
printf '\\033]0;attacked\\007after osc\\n\\033[31mred text\\033[0m\\n'
n=0
while [ $n -lt 500 ]; do n=$((n + 1)); echo "numbered line $n"; done
echo last line`

test('the kept log of a run whose pods are gone is shown as the live one was, and by a link to a line', async () => {
  await createAgent('printer', {
    ...{ binary: 'agent-runner', argsTemplate: ['--', 'sh', '-c', prints] },
  })
  await createRun('printer')
  const page = await bed.signIn(undefined, '/runs/agents/printer')
  await page.locator('[data-log-state=ended]').waitFor({ timeout: 60_000 })
  await page.getByText(/^complete · /).waitFor()
  const lines = await page.getByText(/^complete · /).innerText()
  await expect.poll(keptLogs, { timeout: 60_000 }).toBe(1)
  await deletePods('printer')
  await page.goto(`${bed.url}/runs/agents/printer?line=400`)
  await page.getByText(/^kept output: its pods are gone · /).waitFor()
  const kept = await page.getByText(/^kept output/).innerText()
  // No line is missing, and none is shown twice.
  expect(kept.split('·')[1]).toBe(lines.split('·')[1])
  const marked = page.locator('.log-line.marked')
  await marked.waitFor()
  expect(await marked.getByRole('link').innerText()).toBe('400')
  expect(await marked.innerText()).toContain('numbered line ')
  await page.getByLabel('Search the log').fill('attacked=1')
  await page.getByText('1 of 1', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(markup).waitFor()
  await page.getByText('after osc').waitFor()
  expect(await page.locator('.fg-1', { hasText: 'red text' }).count()).toBe(1)
  expect(await page.evaluate('window.attacked')).toBeUndefined()
  expect(await page.title()).not.toContain('attacked')
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  expect(page.complaints).toEqual([])
})

test('one who may not read artifacts does not get the kept log', async () => {
  const verbs = ['get', 'list']
  const token = await account(bed.admin, namespace, 'pods-only', [
    { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'], verbs },
    { apiGroups: [''], resources: ['pods', 'pods/log'], verbs },
  ])
  const page = await bed.signIn(token, '/runs')
  const bodies: Promise<string>[] = []
  page.on('response', (response) => {
    if (response.url().includes('/logs')) bodies.push(response.text())
  })
  await page.goto(`${bed.url}/runs/agents/printer`)
  await page.getByText('There is no log to show:').waitFor()
  await page.getByText(/cannot list resource "artifacts"/).waitFor()
  expect((await Promise.all(bodies)).join()).not.toContain('numbered line')
  expect(page.complaints).toEqual([])
})

test('a page says that no log was kept', async () => {
  // Only agent-runner stores what it prints.
  await createAgent('silent', { binary: 'sh', argsTemplate: ['-c', 'echo said'] })
  await createRun('silent')
  const viewport = { width: 320, height: 640 }
  const page = await bed.signIn(undefined, '/runs/agents/silent', { viewport })
  await page.getByText('Succeeded', { exact: true }).first().waitFor({ timeout: 60_000 })
  await page.getByText('said', { exact: true }).waitFor()
  await deletePods('silent')
  await page.reload()
  await page.getByText('No log was kept:').waitFor()
  await page.getByText('its pods are deleted, and they stored no output').waitFor()
  expect(await page.locator('[data-log-state]').getAttribute('data-log-state')).toBe('notKept')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  expect(page.complaints).toEqual([])
})

async function keptLogs(): Promise<number> {
  const { items } = await bed.admin.list(kindRef<Artifact>(artifact), { namespace })
  const isOfPrinter = ({ metadata }: Artifact) =>
    metadata.ownerReferences?.some(({ name }) => name === 'printer') === true
  const isStored = ({ status }: Artifact) => status?.phase === 'Ready'
  return items.filter(
    (each) => each.spec?.source?.type === 'Log' && isOfPrinter(each) && isStored(each),
  ).length
}

async function deletePods(run: string): Promise<void> {
  const labelSelector = `agents.proompteng.ai/agent-run=${run}`
  const pods = async () => (await bed.admin.list(PodKind, { namespace, labelSelector })).items
  for (const { metadata } of await pods()) {
    await bed.admin.delete(PodKind, { namespace, name: metadata.name })
  }
  await expect.poll(async () => (await pods()).length).toBe(0)
}

async function createAgent(name: string, provider: object): Promise<void> {
  await create(agentProvider, name, provider)
  await create(agent, name, { providerRef: { name } })
}

async function createRun(name: string): Promise<void> {
  await create(agentRun, name, {
    agentRef: { name },
    implementation: { inline: { text: 'x' } },
    runtime: { type: 'job' },
  })
}

async function create(
  declared: Parameters<typeof kindRef>[0],
  name: string,
  spec: object,
): Promise<void> {
  const { group, version, kind } = declared
  const metadata = { name, namespace }
  const object = { apiVersion: `${group}/${version}`, kind, metadata, spec }
  await bed.admin.create(kindRef<KubeObject>(declared), object as KubeObject)
}
