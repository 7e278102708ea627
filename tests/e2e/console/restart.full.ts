import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, type ConsoleBed, startConsoleBed } from './console-bed.ts'

let bed: ConsoleBed

beforeAll(async () => {
  bed = await startConsoleBed()
})
afterAll(() => bed?.stop())

test('the platform is killed and started again: pages say so and heal, sessions sign in again', async () => {
  const page = await bed.openWithToken(`${bed.url}/runs`)
  const signedIn = await bed.signIn(undefined, '/runs')
  // A page that is still signing in says something else.
  for (const each of [page, signedIn]) await each.getByText('Live', { exact: true }).waitFor()
  const up = bed.platform.up()
  up.child.kill('SIGKILL')
  await up.finished
  await page.getByText('Connection lost.').waitFor()
  await signedIn.getByText('Connection lost.').waitFor()
  await bed.platform.startAgain()
  expect(addressOf(bed.platform)).toBe(bed.url)
  await page.getByText('Live', { exact: true }).waitFor()
  await bed.platform.agentctl('run', '--agent', 'scripted', '--text', 'x', '--name', 'after')
  await page.getByRole('row').filter({ hasText: 'after' }).getByText('Succeeded').waitFor()
  expect(await page.getByRole('link', { name: 'first-run' }).count()).toBe(1)
  // Sessions live as long as the process: another tab signs in, and the page continues.
  await signedIn.getByRole('heading', { name: 'Sign in' }).waitFor()
  const tab = await signedIn.context().newPage()
  await tab.goto(`${bed.url}/#code=${await bed.code(bed.adminToken)}`)
  await signedIn.getByRole('link', { name: 'after' }).waitFor()
})

test('a log that is open while the platform is killed loses no line, and shows none twice', async () => {
  const flags = ['--agent', 'scripted', '--text', 'x', '--name', 'outlives', '--no-wait']
  const slow = ['--param', 'scriptedMode=slow', '--param', 'scriptedDelaySeconds=6']
  const { code } = await bed.platform.agentctl('run', ...flags, ...slow)
  expect(code).toBe(0)
  const page = await bed.openWithToken(`${bed.url}/runs/agents/outlives?kind=AgentRun`)
  await page.getByText('reading the task: x').waitFor()
  const up = bed.platform.up()
  up.child.kill('SIGKILL')
  await up.finished
  await page.getByText('The log is cut:').waitFor()
  expect(await page.getByText('reading the task: x').count()).toBe(1)
  await bed.platform.startAgain()
  await page.locator('[data-log-state=ended]').waitFor({ timeout: 120_000 })
  const shown = await page.locator('.log-text').allInnerTexts()
  const { stdout } = await bed.platform.agentctl('logs', 'outlives')
  const printed = stdout.split('\n').filter((line) => line !== '')
  expect(printed.length).toBeGreaterThan(0)
  expect(shown.filter((line) => line !== '')).toEqual(printed)
})
