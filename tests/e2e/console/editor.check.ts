import { agent } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from './axe.ts'
import type { WatchedPage } from './console-bed.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let bed: SharedBed

beforeAll(async () => {
  bed = await useConsoleBed()
  await bed.admin.create(kindRef<KubeObject>(agent), {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'Agent' },
    metadata: { name: 'written', namespace: 'agents' },
    spec: { providerRef: { name: 'scripted' } },
  } as KubeObject)
})
afterAll(() => bed?.stop())

const at = '/kinds/agents.agents.proompteng.ai/agents/written?view=yaml'

test('an object is completed by keyboard alone, and the server still checks it', async () => {
  const page = await bed.signIn(undefined, at)
  const { yaml, list } = await editorOf(page)
  await caretAfter(page, /^spec:\n/m)
  await page.keyboard.type('  def')
  await list.getByRole('option', { name: 'defaults' }).waitFor()
  // Only typed: Enter would be a new line.
  expect(await yaml.getAttribute('aria-activedescendant')).toBeNull()
  await page.keyboard.press('ArrowDown')
  const active = await yaml.getAttribute('aria-activedescendant')
  expect(await page.locator(`[id="${active}"]`).innerText()).toBe('defaults')
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  await page.keyboard.press('Enter')
  await page.keyboard.type('timeout')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.type('-1\n')
  expect(await yaml.inputValue()).toContain('spec:\n  defaults:\n    timeoutSeconds: -1\n')
  await page.getByText('spec.defaults.timeoutSeconds: Invalid value').waitFor()
  await page.getByRole('button', { name: /^line \d+/ }).waitFor()
  // Ctrl+Z takes back what a suggestion wrote, too.
  for (let times = 0; times < 40; times += 1) await page.keyboard.press('Control+z')
  expect(await yaml.inputValue()).not.toContain('timeoutSeconds')
  expect(page.complaints).toEqual([])
})

test('Ctrl+Space suggests what is missing, Escape closes it, and fields are explained', async () => {
  const page = await bed.signIn(undefined, at)
  const { yaml, list } = await editorOf(page)
  await caretAfter(page, /^spec:\n/m)
  await page.keyboard.type('  ')
  await page.keyboard.press('Control+Space')
  await list.waitFor()
  const labels = await list.getByRole('option').allInnerTexts()
  expect(labels).toContain('defaults')
  // It is there already.
  expect(labels).not.toContain('providerRef')
  await page.keyboard.press('Escape')
  await expect.poll(() => list.count()).toBe(0)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.tagName')).not.toBe('TEXTAREA')
  await caretAfter(page, /^ {2}providerRef:/m)
  await page.keyboard.press('ArrowLeft')
  const help = page.locator('.field-help')
  await help.getByText('spec.providerRef', { exact: true }).waitFor()
  await help.getByText(/AgentProvider/).waitFor()
  const box = await yaml.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 6 + 18 + 9)
  await help.getByText('kind', { exact: true }).waitFor()
  expect(page.complaints).toEqual([])
})

test('a new run is completed at 320 pixels, by the schema of its kind', async () => {
  const viewport = { width: 320, height: 640 }
  const page = await bed.signIn(undefined, '/new?of=scripted', { viewport })
  const { yaml, list } = await editorOf(page)
  await caretAfter(page, /^ {2}runtime:\n/m)
  await page.keyboard.type('    type: w')
  await list.getByRole('option', { name: 'workflow' }).click()
  expect(await yaml.inputValue()).toContain('    type: workflow')
  await page.keyboard.type('\n    ')
  await page.keyboard.press('Control+Space')
  await list.waitFor()
  const edges = await page.evaluate(
    "[document.documentElement.scrollWidth, document.querySelector('.suggestions').getBoundingClientRect().right <= 320]",
  )
  expect(edges).toEqual([320, true])
  expect(page.complaints).toEqual([])
})

async function editorOf(page: WatchedPage) {
  const yaml = page.locator('.editor textarea')
  await yaml.waitFor()
  await page.getByText('Ctrl+Space suggests what can be written.').waitFor()
  return { yaml, list: page.getByRole('listbox', { name: 'Suggestions' }) }
}

/** Puts the caret behind what is found in the text, as a person would by mouse or arrows. */
async function caretAfter(page: WatchedPage, pattern: RegExp): Promise<void> {
  const yaml = page.locator('.editor textarea')
  const [found = '', ...more] = pattern.exec(await yaml.inputValue()) ?? []
  expect(more).toEqual([])
  const text = await yaml.inputValue()
  const position = text.search(pattern) + found.length
  await yaml.focus()
  await page.evaluate(
    `document.querySelector('.editor textarea').setSelectionRange(${position}, ${position})`,
  )
  if (found.endsWith('\n')) {
    await page.keyboard.type('\n')
    await page.keyboard.press('ArrowUp')
  }
}
