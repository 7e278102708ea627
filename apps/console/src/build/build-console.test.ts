import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildConsole } from './build-console.ts'

const folder = mkdtempSync(join(tmpdir(), 'console-build-'))
const output = join(folder, 'dist')
let outcome: string

beforeAll(async () => {
  outcome = await buildConsole(output)
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function read(path: string): string {
  return readFileSync(join(output, path), 'utf8')
}

/** The script of the page, and all that it imports before it can start. */
function firstScripts(): readonly string[] {
  const [, entry = ''] = /src="\/(assets\/[^"]+\.js)"/.exec(read('index.html')) ?? []
  const found = new Set([entry])
  for (const path of found) {
    for (const [, name = ''] of read(path).matchAll(/\bfrom\s*"\.\/([^"]+\.js)"/g)) {
      found.add(`assets/${name}`)
    }
  }
  return [...found]
}

test('the first load has at most 200 KB of compressed JavaScript', () => {
  const scripts = firstScripts()
  const bytes = scripts.reduce((sum, path) => sum + gzipSync(read(path)).length, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(200 * 1024)
})

test('nothing is inline or from elsewhere, and packages are those of production', () => {
  const page = read('index.html')
  expect(page).not.toMatch(/<script(?![^>]*\ssrc="\/)/)
  expect(page).not.toMatch(/<style|\son\w+=|https?:/)
  const scripts = readdirSync(join(output, 'assets')).filter((name) => name.endsWith('.js'))
  expect(scripts.filter((name) => read(`assets/${name}`).includes('React DevTools'))).toEqual([])
})

test('a second build with the same sources does nothing', async () => {
  expect(outcome).toBe('built')
  const before = statSync(join(output, 'index.html')).mtimeMs
  expect(await buildConsole(output)).toBe('unchanged')
  expect(statSync(join(output, 'index.html')).mtimeMs).toBe(before)
  expect(readdirSync(folder)).toEqual(['dist'])
})
