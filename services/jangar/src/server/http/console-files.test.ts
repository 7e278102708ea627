import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { startApiServer } from '@agents/apiserver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi } from './testing/test-api.ts'

const script = `console.log(${JSON.stringify('x'.repeat(4000))})\n`

let folder: string
let api: Awaited<ReturnType<typeof startTestApi>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'))
  const dist = join(folder, 'dist')
  mkdirSync(join(dist, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'very secret')
  writeFileSync(join(dist, 'index.html'), '<!doctype html><title>One</title>')
  writeFileSync(join(dist, 'favicon.svg'), '<svg/>')
  writeFileSync(join(dist, '.hidden'), 'very secret')
  writeFileSync(join(dist, 'assets/index-B2_a-9Zk.js'), script)
  writeFileSync(join(dist, 'assets/index-C3xYz012.css'), 'a{}')
  symlinkSync(join(folder, 'secret.txt'), join(dist, 'assets/link-12345678.js'))
  api = await startTestApi(startApiServer, { consoleDir: dist })
}, 120_000)

afterAll(async () => {
  await api?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.each(['/', '/index.html', '/runs', '/runs/red/one', '/runs?phase=Failed&q=%2e%2e', '/a%20b'])(
  '%s is the page, which is asked for again each time',
  async (path) => {
    const { status, text, headers } = await api.ask(path, { headers: html })
    expect(status).toBe(200)
    expect(text).toContain('<title>')
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-cache')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    const policy = headers['content-security-policy'] as string
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  },
)

test('hashed files are kept for ever, others are asked for again', async () => {
  const { headers, text } = await api.ask('/assets/index-B2_a-9Zk.js')
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(text).toBe(script)
  expect((await api.ask('/assets/index-C3xYz012.css')).headers['content-type']).toContain(
    'text/css',
  )
  const icon = await api.ask('/favicon.svg')
  expect(icon.headers['cache-control']).toBe('no-cache')
  expect(icon.headers['content-type']).toBe('image/svg+xml')
  const headersAgain = { 'if-none-match': icon.headers.etag ?? '' }
  expect(await api.ask('/favicon.svg', { headers: headersAgain })).toMatchObject({
    ...{ status: 304, text: '' },
  })
})

test.each([
  { accepted: 'gzip, br', encoding: 'br', unpack: brotliDecompressSync },
  { accepted: 'gzip', encoding: 'gzip', unpack: gunzipSync },
])('$accepted: packed with $encoding', async ({ accepted, encoding, unpack }) => {
  const bytes = await fetchBytes('/assets/index-B2_a-9Zk.js', { 'accept-encoding': accepted })
  expect(bytes.headers['content-encoding']).toBe(encoding)
  expect(bytes.headers.vary).toBe('accept-encoding')
  expect(bytes.body.length).toBeLessThan(1000)
  expect(unpack(bytes.body).toString('utf8')).toBe(script)
})

test.each([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/..%5csecret.txt',
  '/assets//..//..//secret.txt',
  '//secret.txt',
  '/.hidden',
  '/assets/link-12345678.js',
  '/assets/link-12345678.js%00.html',
  '/etc/passwd',
])('%s does not leave the folder', async (path) => {
  for (const headers of [{}, html]) {
    const { status, text } = await api.ask(path, { headers })
    expect(text).not.toContain('very secret')
    expect(text).not.toContain('root:')
    expect([200, 404]).toContain(status)
    if (status === 200) expect(text).toContain('<title>')
  }
})

test.each([
  { because: 'a file that is missing', path: '/assets/gone-12345678.js', sent: {}, status: 404 },
  {
    because: 'a file that is missing, for a browser',
    path: '/assets/gone-12345678.js',
    sent: { headers: html },
    status: 404,
  },
  { because: 'not a page', path: '/runs', sent: { headers: { accept: '*/*' } }, status: 404 },
  { because: 'a write', path: '/runs', sent: { method: 'POST', headers: html }, status: 404 },
  { because: 'a path of the API', path: '/v1/none', sent: { headers: html }, status: 404 },
  { because: 'a path of the API', path: '/v1', sent: { headers: html }, status: 404 },
  { because: 'tools', path: '/mcp', sent: { headers: html }, status: 405 },
])('$because is not the page: $path', async ({ path, sent, status }) => {
  const reply = await api.ask(path, sent)
  expect(reply.status).toBe(status)
  expect(reply.json).toMatchObject({ ok: false })
})

test('a new build is served without a restart', async () => {
  const index = join(folder, 'dist/index.html')
  writeFileSync(index, '<!doctype html><title>Two</title>')
  utimesSync(index, new Date(), new Date(Date.now() + 5000))
  expect((await api.ask('/', { headers: html })).text).toContain('<title>Two')
})

test('without the files, the answer says so', async () => {
  const plain = await api.beside({ consoleDir: join(folder, 'none') })
  try {
    const { status, text, headers } = await plain.ask('/', { headers: html })
    expect(status).toBe(404)
    expect(headers['content-type']).toContain('text/plain')
    expect(text).toContain('console')
    expect(text).not.toContain(folder)
    expect((await plain.ask('/livez')).status).toBe(200)
  } finally {
    await plain.stop()
  }
})

async function fetchBytes(path: string, headers: Readonly<Record<string, string>>) {
  const { request } = await import('node:https')
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly headers: import('node:http').IncomingHttpHeaders
    readonly body: Buffer
  }>()
  const { port, caCertificate: ca } = api
  request({ host: '127.0.0.1', port, path, ca, headers, agent: false }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
  })
    .on('error', reject)
    .end()
  return await promise
}
