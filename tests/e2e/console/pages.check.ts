import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent, agentProvider, agentRun, budget } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let folder: string
let bed: SharedBed

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-pages-'))
  bed = await useConsoleBed()
})
afterAll(async () => {
  await bed?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Reports 2000 tokens a second: the first report passes the limit. */
const spends = `
n=0
while sleep 1; do
  n=$((n + 2000))
  echo "{\\"usage\\": {\\"inputTokens\\": $n, \\"turns\\": 1}}" > "$AGENT_REPORT_PATH.new"
  mv "$AGENT_REPORT_PATH.new" "$AGENT_REPORT_PATH"
done`

test('a Budget fills on its page, and stops the run', async () => {
  await create(agentProvider, 'spender', {
    ...{ binary: 'agent-runner', argsTemplate: ['--', 'sh', '-c', spends] },
  })
  await create(agent, 'spender', { providerRef: { name: 'spender' } })
  const scope = { agentRef: { name: 'spender' } }
  await create(budget, 'spender', { limits: { tokens: '1500' }, scope })
  await create(agentRun, 'spender', runSpec('spender', 'Spend.'))
  const page = await bed.signIn(undefined, '/budgets')
  const card = page.getByRole('article', { name: 'Budget spender' })
  await card.getByText('runs of Agent spender').waitFor()
  await card.getByText('Exceeded', { exact: true }).waitFor({ timeout: 90_000 })
  await card.getByText(/^[\d,]+ of 1,500$/).waitFor()
  await card.getByRole('link', { name: 'Its runs' }).click()
  await page.getByRole('link', { name: 'spender', exact: true }).click()
  await page.getByText('BudgetExceeded').first().waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page
    .getByRole('region', { name: 'Spend' })
    .getByText(/of 1,500/)
    .waitFor()
  expect(page.complaints).toEqual([])
})

test('the artifacts of a run are listed, and one is downloaded byte for byte', async () => {
  const page = await bed.signIn(undefined, '/runs/agents/first-run?view=artifacts')
  const row = page.getByRole('row').filter({ hasText: 'transcript.md' })
  await row.getByText('Ready').waitFor()
  const waiting = page.waitForEvent('download')
  await row.getByRole('button', { name: 'Download transcript.md' }).click()
  const download = await waiting
  expect(download.suggestedFilename()).toBe('transcript.md')
  const { code } = await bed.platform.agentctl('download', 'first-run', '-o', folder)
  expect(code).toBe(0)
  const saved = join(folder, 'saved')
  await download.saveAs(saved)
  expect(readFileSync(saved, 'utf8')).toBe(readFileSync(join(folder, 'transcript.md'), 'utf8'))
  expect(page.complaints).toEqual([])
})

test('a run that the cluster has deleted is found in the archive by a word of its task', async () => {
  const spec = { ...runSpec('scripted', 'Describe the ptarmigan'), ttlSecondsAfterFinished: 1 }
  await create(agentRun, 'short-lived', spec)
  const page = await bed.signIn(undefined, '/runs?source=archive')
  await page.getByLabel('Search').fill('ptarmigan')
  await page.getByRole('link', { name: 'short-lived' }).waitFor({ timeout: 60_000 })
  await expect.poll(() => page.url()).toContain('text=ptarmigan')
  // The archive has it before the cluster has deleted it.
  await page.getByText('archived', { exact: true }).waitFor({ timeout: 60_000 })
  expect(await page.getByRole('link', { name: 'first-run' }).count()).toBe(0)
  await page.getByRole('link', { name: 'short-lived' }).click()
  await page.getByText('The archive keeps it as it was.').waitFor()
  const again = page.getByRole('button', { name: /^Run again/ })
  expect(await again.getAttribute('title')).toBe('the run is in the archive only')
  await page.getByText('Describe the ptarmigan').waitFor()
  // Another run of the name would have another output.
  await page.getByRole('link', { name: 'Log', exact: true }).click()
  await page.getByText('the output of a run is deleted with the run').waitFor()
  await page.goBack()
  await page.getByLabel('Search').fill('ptarmigan nowhere')
  await page.getByText('No run that you may list matches these filters.').waitFor()
  expect(page.complaints).toEqual([])
})

test('the audit shows who did what, filters, and is whole', async () => {
  const page = await bed.signIn(undefined, '/audit')
  // Entries are stored a little later, and at first when the database has started.
  const again = page.getByRole('button', { name: 'Read again' })
  const found = async (): Promise<number> => {
    await again.click()
    return await page.getByRole('cell', { name: 'createSessionCode' }).count()
  }
  await expect.poll(found, { timeout: 90_000, interval: 1000 }).toBeGreaterThan(0)
  await page.getByLabel('Operation').fill('reviewAccess')
  await expect.poll(() => page.url()).toContain('action=reviewAccess')
  await expect.poll(() => page.getByRole('cell', { name: 'createSessionCode' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Check that it is whole' }).click()
  await page.getByText(/[\d,]+ entries fit together/).waitFor()
  expect(page.complaints).toEqual([])
})

test('a mirror follows a commit', async () => {
  const page = await bed.signIn(undefined, '/mirrors')
  const card = page.getByRole('article', { name: 'GitTarget mirror' })
  await card.getByText('RUNNING', { exact: true }).waitFor({ timeout: 90_000 })
  await page.getByRole('link', { name: 'agents / mirror' }).click()
  const state = page.getByRole('region', { name: 'State of the mirror' })
  const gates = state.getByRole('list', { name: 'Gates' })
  await expect.poll(() => gates.getByRole('listitem').count()).toBe(5)
  const rules = state.getByRole('region', { name: 'Rules of the mirror' })
  await rules.getByRole('row').nth(1).waitFor()
  const shown = () => state.locator('code').first().innerText()
  const before = await shown()
  const { code } = await bed.platform.agentctl(
    ...['run', '--agent', 'scripted', '--text', 'x', '--name', 'mirrored'],
  )
  expect(code).toBe(0)
  await expect.poll(shown, { timeout: 90_000 }).not.toBe(before)
  const head = () =>
    execFileSync('git', ['rev-parse', 'main'], { cwd: bed.record }).toString().trim()
  await expect.poll(async () => (await shown()) === head(), { timeout: 90_000 }).toBe(true)
  const commits = state.getByRole('list', { name: 'Last commits' }).getByRole('listitem')
  await expect.poll(() => commits.count()).toBeGreaterThan(1)
  await commits.filter({ hasText: before.slice(0, 12) }).waitFor()
  expect(page.complaints).toEqual([])
})

test('events of a run are shown', async () => {
  await bed.admin.request({
    method: 'POST',
    path: '/api/v1/namespaces/agents/events',
    body: {
      metadata: { name: 'noted' },
      involvedObject: { kind: 'AgentRun', namespace: 'agents', name: 'first-run' },
      ...{ reason: 'Noted', message: '<b>by a test</b>', type: 'Warning', count: 3 },
      lastTimestamp: new Date().toISOString().replace(/\.\d+Z/, 'Z'),
    },
  })
  const page = await bed.signIn(undefined, '/runs/agents/first-run?view=events')
  const event = page.getByRole('listitem').filter({ hasText: 'Noted' })
  await event.getByText('<b>by a test</b>').waitFor()
  await event.getByText('3 times').waitFor()
  expect(page.complaints).toEqual([])
})

test('the page of the cluster says what is well, which kinds there are, and who you are', async () => {
  const page = await bed.signIn(undefined, '/cluster')
  await page.getByRole('region', { name: 'Control plane' }).getByText('Ready').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'GitTarget' })
  await row.getByText('yes, with objects').waitFor()
  await row.getByText('list, create, patch, delete').waitFor()
  const checks = page.getByRole('region', { name: 'Checks' })
  const check = (about: string) => checks.getByRole('listitem').filter({ hasText: about })
  await check('kinds')
    .getByText(/^all \d+ are installed in the version of/)
    .waitFor()
  await check('controllers')
    .getByText(/^running in process \d+$/)
    .waitFor()
  await check('API server')
    .getByText(/^Kubernetes v/)
    .waitFor()
  await page.getByRole('region', { name: 'You' }).getByText('admin', { exact: true }).waitFor()
  expect(page.complaints).toEqual([])
})

test('several runs are selected by keyboard, and cancelled together', async () => {
  const names = ['many-1', 'many-2', 'many-3']
  for (const name of names) {
    const spec = { ...runSpec('scripted', 'x'), parameters: { scriptedMode: 'hang' } }
    await create(agentRun, name, spec)
  }
  const page = await bed.signIn(undefined, '/runs')
  for (const name of names) {
    const row = page.getByRole('row').filter({ hasText: name })
    await row.getByText('Running', { exact: true }).waitFor()
  }
  await page.getByRole('checkbox', { name: 'Select first-run' }).check()
  await page.getByRole('checkbox', { name: 'Select many-1' }).check()
  for (const name of names.slice(1)) {
    await page.getByRole('link', { name }).focus()
    await page.keyboard.press('x')
  }
  await page.getByText('4 selected, 3 not finished').waitFor()
  await page.getByRole('button', { name: 'Cancel 3' }).click()
  await page.getByRole('dialog', { name: 'Cancel 3 runs?' }).waitFor()
  await page.getByRole('button', { name: 'Cancel the runs' }).click()
  for (const name of names) {
    const row = page.getByRole('row').filter({ hasText: name })
    await row.getByText('Cancelled', { exact: true }).waitFor()
  }
  await expect.poll(() => page.getByRole('region', { name: 'Selected runs' }).count()).toBe(0)
  expect(page.complaints).toEqual([])
})

type Declared = Parameters<typeof kindRef>[0]

async function create(declared: Declared, name: string, spec: object): Promise<void> {
  const { group, version, kind } = declared
  const metadata = { name, namespace: 'agents' }
  const object = { apiVersion: `${group}/${version}`, kind, metadata, spec }
  await bed.admin.create(kindRef<KubeObject>(declared), object as KubeObject)
}

function runSpec(name: string, text: string) {
  return {
    agentRef: { name },
    implementation: { inline: { text } },
    runtime: { type: 'job' },
  }
}
