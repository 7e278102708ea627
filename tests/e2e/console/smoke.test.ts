import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole } from '@agents/console'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleFiles } from '../../../services/jangar/src/server/http/console-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'console-smoke-'))
let files: ConsoleFiles

beforeAll(async () => {
  await buildConsole(join(folder, 'dist'))
  files = new ConsoleFiles(join(folder, 'dist'), silentLogger)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function get(path: string, accept = '*/*') {
  const request = { method: 'GET', headers: { accept } } as IncomingMessage
  const answer = await files.answer(request, path)
  if (!('bytes' in answer)) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return { ...answer, text: Buffer.from(answer.bytes as Uint8Array).toString('utf8') }
}

test('the control plane serves the built console: its page, and all files that pages load', async () => {
  const page = await get('/runs/agents/any', 'text/html')
  expect(page.headers?.['content-security-policy']).toContain("default-src 'none'")
  expect(page.contentType).toBe('text/html; charset=utf-8')
  const found = new Set([...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, at]) => at))
  for (const path of found) {
    const file = await get(path ?? '')
    expect(file.headers?.['content-security-policy'], path).toContain("script-src 'self'")
    if (!path?.endsWith('.js')) continue
    expect(file.contentType).toBe('text/javascript; charset=utf-8')
    for (const [, name] of file.text.matchAll(
      /["'`]\.?\/?(?:assets\/)?([\w.-]+\.(?:js|css))["'`]/g,
    )) {
      found.add(`/assets/${name}`)
    }
  }
  // Pages are loaded when they are opened.
  const names = [...found].join()
  for (const name of ['overview', 'run', 'budgets', 'mirrors', 'audit', 'cluster', 'object']) {
    expect(names).toContain(`/assets/${name}-page-`)
  }
  expect(names).not.toContain('parts-page')
})
