import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type MeasuredConsole,
  measureChanges,
  measureScroll,
  startMeasuredConsole,
} from '../../support/console/measured-console.ts'

const folder = mkdtempSync(join(tmpdir(), 'console-measure-'))
let measured: MeasuredConsole

beforeAll(async () => {
  measured = await startMeasuredConsole(join(folder, 'dist'))
})
afterAll(async () => {
  await measured?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function rows(page: Page): Promise<number> {
  return page.locator('.list-body tr').count()
}

test('2,000 runs cost no more to scroll than 200, and all can be reached', async () => {
  await measured.fill(200)
  const page = await measured.open('/runs')
  await page.getByText('200', { exact: true }).waitFor()
  const few = await measureScroll(page, 12)
  await measured.fill(2000)
  await page.reload()
  await page.getByText('200+').waitFor()
  const most = await rows(page)
  expect(most).toBeLessThan(80)
  const many = await measureScroll(page, 12)
  expect(many.seconds / few.seconds).toBeLessThan(4)
  // The end is reached page by page.
  await expect
    .poll(
      async () => {
        await page.evaluate("document.querySelector('.list').scrollTo(0, 1e9)")
        return await page.locator('.list-body tr').last().getAttribute('aria-rowindex')
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe('2001')
  await page.getByText('2,000', { exact: true }).waitFor()
  expect(await rows(page)).toBeLessThan(80)
})

test('changes that arrive together are drawn together', async () => {
  const page = await measured.open('/runs')
  await page.getByText('Live', { exact: true }).waitFor()
  const { changes, draws, share } = await measureChanges(page, () => measured.change(100, 5))
  process.stderr.write(
    `changes ${changes}, drawn ${draws} times, ${Math.round(share * 100)} % of a core\n`,
  )
  expect(changes).toBeGreaterThan(100)
  expect(draws).toBeGreaterThan(0)
  // Ten times a second, and once a second for ages.
  expect(draws).toBeLessThan(5 * 13)
})
