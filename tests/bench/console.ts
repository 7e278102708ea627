/** `npm run bench -- console [--runs=10000] [--seconds=10]`: the console in a real Chromium. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import {
  type MeasuredConsole,
  measureChanges,
  measurePlainScroll,
  measureScroll,
  startMeasuredConsole,
} from '../support/console/measured-console.ts'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '10' },
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'console-bench-'))
  const dist = join(folder, 'dist')
  const measured = await startMeasuredConsole(dist)
  try {
    printSizes(dist)
    await measured.fill(Number(values.runs))
    await measureAll(measured, Number(values.runs), Number(values.seconds))
  } finally {
    await measured.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureAll(measured: MeasuredConsole, runs: number, seconds: number) {
  const starts: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const page = await measured.open('/runs')
    await page.getByRole('link', { name: /^run-/ }).first().waitFor()
    starts.push((await page.evaluate('performance.now()')) as number)
    await page.close()
  }
  print('interactive', `${Math.round(starts.toSorted((a, b) => a - b)[2] ?? 0)} ms, median of 5`)
  const page = await measured.open('/runs')
  await page.getByRole('link', { name: /^run-/ }).first().waitFor()
  print(`scroll through ${runs} runs`, framesText(await measureScroll(page, 150)))
  await page.close()
  print('the same in plain text', framesText(await measurePlainScroll(measured, 150)))
  // At its top, where the runs are that change.
  const top = await measured.open('/runs')
  await top.getByText('Live', { exact: true }).waitFor()
  const idle = await measureChanges(top, async () => {
    await top.waitForTimeout(seconds * 1000)
    return 0
  })
  print('no changes', `${percent(idle.share)} of a core`)
  const live = await measureChanges(top, () => measured.change(100, seconds))
  print(
    `${Math.round(live.changes / seconds)} changes a second`,
    `${percent(live.share)} of a core, drawn ${live.draws} times`,
  )
}

/** The script of the page and all that it imports before it can start. */
function printSizes(dist: string): void {
  const read = (path: string): Buffer => readFileSync(join(dist, path))
  const [, entry = ''] = /src="\/(assets\/[^"]+\.js)"/.exec(read('index.html').toString()) ?? []
  const found = new Set([entry])
  for (const path of found) {
    const imports = read(path)
      .toString()
      .matchAll(/\bfrom\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
    for (const [, name = ''] of imports) found.add(`assets/${name}`)
  }
  const sum = (pack: (bytes: Buffer) => Buffer): string => {
    const bytes = [...found].reduce((total, path) => total + pack(read(path)).length, 0)
    return `${(bytes / 1024).toFixed(1)} KB`
  }
  print(
    'first load',
    `${sum(gzipSync)} of JavaScript by gzip, ${sum(brotliCompressSync)} by brotli`,
  )
  const all = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js'))
  print('files', `${all.length} scripts`)
}

function framesText(figures: Awaited<ReturnType<typeof measureScroll>>): string {
  const { drawn, dropped, late, seconds } = figures
  return `${drawn} frames drawn, ${dropped} dropped, ${late} late, ${seconds.toFixed(2)} s of work`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function print(what: string, figure: string): void {
  console.log(`${what.padEnd(28)} ${figure}`)
}
