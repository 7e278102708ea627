import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type MeasuredConsole,
  startMeasuredConsole,
} from '../../support/console/measured-console.ts'

const folder = mkdtempSync(join(tmpdir(), 'console-list-'))
/** More than the largest page of the API. */
const runs = 1000
let measured: MeasuredConsole

beforeAll(async () => {
  measured = await startMeasuredConsole(join(folder, 'dist'))
  await measured.fill(runs)
})
afterAll(async () => {
  await measured?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function rows(page: Page): Promise<number> {
  return page.locator('.list-body tr').count()
}

test('of many runs as many have rows as can be seen, and all can be reached', async () => {
  const page = await measured.open('/runs')
  await page.getByText('200+').waitFor()
  expect(await rows(page)).toBeLessThan(80)
  // The end is reached page by page.
  await expect
    .poll(
      async () => {
        await page.evaluate("document.querySelector('.list').scrollTo(0, 1e9)")
        return await page.locator('.list-body tr').last().getAttribute('aria-rowindex')
      },
      { timeout: 200_000, interval: 200 },
    )
    .toBe(String(runs + 1))
  await page.getByText('1,000', { exact: true }).waitFor()
  expect(await rows(page)).toBeLessThan(80)
  await page.close()
})

test('rows that are used again are in order at rest, and take no focus to another run', async () => {
  const page = await measured.open('/runs')
  await page.locator('.list-body a').first().focus()
  const indexes = (): Promise<number[]> =>
    page
      .locator('.list-body tr')
      .evaluateAll((all) => all.map((row) => Number(row.getAttribute('aria-rowindex'))))
  for (const by of [500, -200]) {
    await page.locator('.list').hover()
    for (let turn = 0; turn < 12; turn += 1) {
      await page.mouse.wheel(0, by)
      await page.waitForTimeout(32)
    }
    await expect
      .poll(async () => {
        const shown = await indexes()
        return shown.length > 20 && shown.every((at, place) => at === (shown[0] ?? 0) + place)
      })
      .toBe(true)
  }
  await expect.poll(async () => (await indexes())[0]).toBeGreaterThan(20)
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
  await page.close()
})
