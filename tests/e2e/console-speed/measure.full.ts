import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type MeasuredConsole,
  measureChanges,
  measurePlainScroll,
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

test('rows that are used again are in order at rest, and take no focus to another run', async () => {
  await measured.fill(2000)
  const page = await measured.open('/runs')
  await page.locator('.list-body a').first().focus()
  const wheel = async (turns: number, by: number): Promise<void> => {
    await page.locator('.list').hover()
    for (let turn = 0; turn < turns; turn += 1) {
      await page.mouse.wheel(0, by)
      await page.waitForTimeout(32)
    }
  }
  const indexes = (): Promise<number[]> =>
    page
      .locator('.list-body tr')
      .evaluateAll((all) => all.map((row) => Number(row.getAttribute('aria-rowindex'))))
  for (const by of [500, -200]) {
    await wheel(12, by)
    await expect
      .poll(async () => {
        const shown = await indexes()
        return shown.length > 20 && shown.every((at, place) => at === (shown[0] ?? 0) + place)
      })
      .toBe(true)
  }
  expect((await indexes())[0]).toBeGreaterThan(20)
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
  await page.close()
})

test('10,000 runs scroll without dropped frames, in a constant time for each', async () => {
  await measured.fill(10_000)
  const page = await measured.open('/runs')
  await page.getByText('200+').waitFor()
  const first = await measureScroll(page, 75)
  const second = await measureScroll(page, 75)
  await page.close()
  const plain = await measurePlainScroll(measured, 150)
  const dropped = first.dropped + second.dropped
  const drawn = first.drawn + second.drawn
  process.stderr.write(
    `${drawn} frames drawn, ${dropped} dropped, ${first.late + second.late} late; ` +
      `work of ${first.seconds.toFixed(2)} and ${second.seconds.toFixed(2)} s; ` +
      `plain text: ${plain.drawn} drawn, ${plain.dropped} dropped, ${plain.seconds.toFixed(2)} s\n`,
  )
  // A machine that is busy with other things drops some of plain text, too.
  expect(dropped).toBeLessThanOrEqual(plain.dropped + drawn / 50)
  // The styles of a row once took longer with each row that was shown before it.
  expect(second.seconds / first.seconds).toBeLessThan(1.5)
  expect((first.seconds + second.seconds) / plain.seconds).toBeLessThan(6)
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
