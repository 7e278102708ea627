import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFull } from '../../support/tier.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let bed: SharedBed

beforeAll(async () => {
  bed = await useConsoleBed()
})
afterAll(() => bed?.stop())

test('agentctl console signs a browser in, and the address keeps no code', async () => {
  expect(bed.platform.shared.stdout).toMatch(/^ {2}npx agentctl console {3}/m)
  const { stdout } = await bed.platform.agentctl('console', '--no-open')
  const page = await (await bed.newContext()).newPage()
  await page.goto(stdout.trim())
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(page.url()).not.toContain('code')
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('link', { name: 'first-run' }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  // A reload keeps the session; signing out ends it.
  await page.reload()
  await page.getByRole('link', { name: 'first-run' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto(`${bed.url}/runs`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a page that the back button shows again asks whether its session has ended', async () => {
  const page = await bed.signIn()
  await page.getByRole('link', { name: 'first-run' }).waitFor()
  await page.context().clearCookies()
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByText('first-run').count()).toBe(0)
})

test('a run is started from the form, and its log is followed to the end', async () => {
  const page = await bed.signIn()
  await page.getByRole('link', { name: 'New run' }).click()
  await page.getByRole('heading', { name: 'New run' }).waitFor()
  await page.getByLabel('Agent', { exact: true }).selectOption('scripted')
  await page.getByLabel('Task').fill('Greet the reader of the console')
  await page.getByLabel('Name', { exact: true }).fill('from-form')
  await page.getByLabel('Another parameter').fill('scriptedMode')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByLabel('scriptedMode', { exact: true }).fill('slow')
  // The YAML beside it says the same, and can be edited.
  const yaml = page.getByLabel('YAML')
  await expect.poll(() => yaml.inputValue()).toContain('scriptedMode: slow')
  await yaml.fill(`${await yaml.inputValue()}  priority: 3\n`)
  expect(await page.getByLabel('Task').inputValue()).toBe('Greet the reader of the console')
  await page.locator('[data-check=valid]').waitFor()
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'from-form' }).waitFor()
  await page.getByText('reading the task: Greet the reader of the console').waitFor()
  expect(await page.getByRole('status').filter({ hasText: 'complete' }).count()).toBe(0)
  await page.locator('[data-log-state=ended]').waitFor()
  await page.getByText('done', { exact: true }).waitFor()
  await page.getByText('Succeeded').first().waitFor()
  await page.getByRole('link', { name: 'YAML' }).click()
  await page.getByText('priority: 3').waitFor()
  await page.getByRole('link', { name: 'Task' }).click()
  await page.getByRole('rowheader', { name: 'scriptedMode' }).waitFor()
  await page.getByRole('link', { name: 'Checks' }).click()
  await page.getByText('all references are resolved and permitted').waitFor()
  expect(page.complaints).toEqual([])
})

test('what the server refuses is shown at its line before it is sent', async () => {
  const page = await bed.signIn(undefined, '/new?of=scripted')
  const yaml = page.getByLabel('YAML')
  await yaml.waitFor()
  await yaml.fill(
    'apiVersion: agents.proompteng.ai/v1alpha1\nkind: AgentRun\nmetadata:\n  namespace: agents\nspec:\n  agentRef:\n    name: scripted\n  implementation:\n    inline:\n      text: x\n  runtime:\n    type: jub\n',
  )
  await page.getByText('spec.runtime.type: Unsupported value').waitFor()
  await page.getByRole('button', { name: 'line 12' }).click()
  expect(await page.getByRole('button', { name: 'Start' }).getAttribute('aria-disabled')).toBe(
    'true',
  )
  await yaml.fill('kind: [')
  await page.getByRole('button', { name: 'line 1' }).waitFor()
  expect(page.complaints).toEqual([])
})

test('a run is cancelled, and repeated', async () => {
  const page = await bed.signIn()
  await start('to-cancel', 'hang')
  await page.getByRole('link', { name: 'to-cancel' }).click()
  await page.getByText('reading the task').first().waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await page.locator('.page-head').getByText('Cancelled', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('heading', { name: /^to-cancel-/ }).waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await page.locator('.page-head').getByText('Cancelled', { exact: true }).waitFor()
  expect(page.complaints).toEqual([])
})

test('two browsers see the changes of each other', async () => {
  const [one, two] = [await bed.signIn(), await bed.signIn()]
  await start('shared', 'hang')
  const row = two.getByRole('row').filter({ hasText: 'shared' })
  await row.getByText('Running', { exact: true }).waitFor()
  await one.getByRole('link', { name: 'shared' }).click()
  await one.getByRole('button', { name: 'Cancel', exact: true }).click()
  await one.getByRole('button', { name: 'Cancel the run' }).click()
  await one.locator('.page-head').getByText('Cancelled', { exact: true }).waitFor()
  const seenByOne = performance.now()
  await row.getByText('Cancelled', { exact: true }).waitFor()
  if (isFull) expect(performance.now() - seenByOne).toBeLessThan(1000)
})

test('filters are part of the address, and of what changes', async () => {
  const page = await bed.signIn(undefined, '/runs?phase=Failed&source=cluster')
  await page.getByText('No run that you may list matches these filters.').waitFor()
  await start('fails', 'fail')
  await page.getByRole('link', { name: 'fails' }).waitFor()
  await page.getByRole('search').getByLabel('Phase').selectOption('Succeeded')
  await expect.poll(() => page.url()).toContain('phase=Succeeded')
  await page.getByRole('link', { name: 'first-run' }).waitFor()
  expect(await page.getByRole('link', { name: 'fails' }).count()).toBe(0)
  await page.getByRole('search').getByLabel('Agent').fill('nobody')
  await page.getByText('No run that you may list matches these filters.').waitFor()
  expect(page.url()).toContain('agent=nobody')
})

test('everything is done by keyboard alone', async () => {
  const page = await bed.signIn()
  await start('by-keyboard', 'hang')
  await page.getByRole('link', { name: 'by-keyboard' }).waitFor()
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  const tabTo = async (text: string): Promise<void> => {
    for (let presses = 0; presses < 60; presses += 1) {
      if ((await focused()).trim().startsWith(text)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`${text} is not reached`)
  }
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await page.keyboard.press('Escape')
  await tabTo('by-keyboard')
  await page.keyboard.press('j')
  await expect.poll(focused).not.toBe('by-keyboard')
  await page.keyboard.press('k')
  await expect.poll(focused).toBe('by-keyboard')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'by-keyboard' }).waitFor()
  await page.getByText('reading the task').first().waitFor()
  await tabTo('Cancel')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await tabTo('Cancel the run')
  await page.keyboard.press('Enter')
  await page.locator('.page-head').getByText('Cancelled', { exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('reading')
  await page.getByText('1 of 1').waitFor()
  await page.keyboard.press('Tab')
  await page.locator('body').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
})

async function start(name: string, mode: string): Promise<void> {
  const flags = ['--agent', 'scripted', '--text', 'x', '--name', name, '--no-wait']
  const parameters = ['--param', `scriptedMode=${mode}`]
  const { code, stderr } = await bed.platform.agentctl('run', ...flags, ...parameters)
  expect({ code, stderr }).toMatchObject({ code: 0 })
}
