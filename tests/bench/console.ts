/** `npm run bench -- console [--runs=10000] [--seconds=10]`: the console in a real Chromium. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import {
  type MeasuredConsole,
  measureChanges,
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

const plainList = `
  const list = document.createElement('pre')
  list.className = 'list'
  list.style = 'height: 700px; overflow: auto; margin: 0'
  list.textContent = Array.from({ length: 10000 }, (_, index) => 'run-' + index).join('\\n\\n')
  document.body.replaceChildren(list)
`

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
  const { drawn, dropped, seconds: worked } = await measureScroll(page, 150)
  print(
    `scroll through ${runs} runs`,
    `${drawn} frames drawn, ${dropped} dropped, ${worked.toFixed(2)} s of work`,
  )
  await page.close()
  // What the machine and its browser without a graphics card can do at all, at this moment.
  const plain = await measured.open('/livez')
  await plain.evaluate(plainList)
  const bare = await measureScroll(plain, 150)
  await plain.close()
  print(
    'the same in plain text',
    `${bare.drawn} frames drawn, ${bare.dropped} dropped, ${bare.seconds.toFixed(2)} s of work`,
  )
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

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function print(what: string, figure: string): void {
  console.log(`${what.padEnd(28)} ${figure}`)
}
