import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gate, startGate } from './closable-gate.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let bed: SharedBed
let gate: Gate

beforeAll(async () => {
  bed = await useConsoleBed()
  gate = await startGate(Number(new URL(bed.url).port))
})
afterAll(async () => {
  await gate?.stop()
  await bed?.stop()
})

test('a lost connection is shown and heals, and the log has each line once', async () => {
  const flags = ['--agent', 'scripted', '--text', 'x', '--name', 'slow', '--no-wait']
  const slow = ['--param', 'scriptedMode=slow', '--param', 'scriptedDelaySeconds=4']
  const { code } = await bed.platform.agentctl('run', ...flags, ...slow)
  expect(code).toBe(0)
  const page = await bed.openWithToken(`${gate.url}/runs/agents/slow?kind=AgentRun`)
  await page.getByText('reading the task: x').waitFor()
  gate.cut()
  await page.getByText('Connection lost.').waitFor()
  await page.getByText('The log is cut:').waitFor()
  // What was shown stays.
  expect(await page.getByText('reading the task: x').count()).toBe(1)
  gate.heal()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('[data-log-state=ended]').waitFor()
  expect(await page.getByText('Connection lost.').count()).toBe(0)
  const shown = await page.locator('.log-text').allInnerTexts()
  const { stdout } = await bed.platform.agentctl('logs', 'slow')
  const words = ['reading the task: x', 'plan: note it', 'edited', 'committed', 'done']
  const of = (lines: readonly string[]) =>
    lines.filter((line) => words.some((word) => line.startsWith(word)))
  expect(of(shown)).toHaveLength(words.length)
  expect(of(shown)).toEqual(of(stdout.split('\n')))
})

test('changes during an outage are shown after it', async () => {
  const page = await bed.openWithToken(`${gate.url}/runs`)
  await page.getByRole('link', { name: 'first-run' }).waitFor()
  gate.cut()
  await page.getByText('Connection lost.').waitFor()
  const flags = ['--agent', 'scripted', '--text', 'x', '--name', 'meanwhile']
  await bed.platform.agentctl('run', ...flags)
  gate.heal()
  const row = page.getByRole('row').filter({ hasText: 'meanwhile' })
  await row.getByText('Succeeded').waitFor()
  expect(await page.getByRole('link', { name: 'meanwhile' }).count()).toBe(1)
})
