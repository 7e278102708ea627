import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveParts } from '@agents/console'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestBrowser } from '../../support/testbed/browser.ts'
import { axeFindings } from './axe.ts'
import { useBrowser } from './shared-bed.ts'

const folder = mkdtempSync(join(tmpdir(), 'console-parts-'))
let parts: Awaited<ReturnType<typeof serveParts>>
let testBrowser: TestBrowser

beforeAll(async () => {
  parts = await serveParts(folder)
  testBrowser = await useBrowser()
})
afterAll(async () => {
  await testBrowser?.browser.close()
  await parts?.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each([1280, 320])('all parts are shown in light and dark, %i pixels wide', async (width) => {
  const page = await testBrowser.browser.newPage({ viewport: { width, height: 800 } })
  const failures: string[] = []
  page.on('pageerror', ({ message }) => failures.push(message))
  await page.goto(parts.url)
  const [light, dark] = [
    page.getByLabel('light', { exact: true }),
    page.getByLabel('dark', { exact: true }),
  ]
  await light.getByRole('button', { name: 'Main' }).waitFor()
  await dark.getByText('safe⟨U+202E⟩gnp.exe').waitFor()
  const colour = 'getComputedStyle(document.querySelector(".parts-theme.THEME")).backgroundColor'
  const [ofLight, ofDark] = await Promise.all(
    ['light', 'dark'].map((theme) => page.evaluate(colour.replace('THEME', theme))),
  )
  expect(ofLight).not.toBe(ofDark)
  expect(await axeFindings(page, testBrowser.axePath)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  await dark.getByRole('button', { name: 'Open a dialog' }).click()
  await page.getByRole('dialog', { name: 'Cancel the run?' }).waitFor()
  expect(await axeFindings(page, testBrowser.axePath)).toEqual([])
  expect(failures).toEqual([])
})

test('every part is on the page', async () => {
  const browser = join(import.meta.dirname, '../../../apps/console/src/browser')
  const page = await readFile(join(browser, 'parts-page/parts-page.tsx'), 'utf8')
  const names = (await readdir(join(browser, 'parts'))).filter((name) => name.endsWith('.tsx'))
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !page.includes(`'../parts/${name}'`))).toEqual([])
})
