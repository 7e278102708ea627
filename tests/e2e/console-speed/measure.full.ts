import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('2,000 runs cost no more to scroll than 200', async () => {
  await measured.fill(200)
  const page = await measured.open('/runs')
  await page.getByText('200', { exact: true }).waitFor()
  const few = await measureScroll(page, 12)
  await measured.fill(2000)
  await page.reload()
  await page.getByText('200+').waitFor()
  const many = await measureScroll(page, 12)
  expect(many.seconds / few.seconds).toBeLessThan(4)
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
