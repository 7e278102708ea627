import { createLogger, silentLogger } from '@agents/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createMetrics } from '../metrics/metrics.ts'
import { ProbeServer } from './probe-server.ts'

async function setUp({ timeoutMs = 5000, metricsPath = '/metrics' } = {}) {
  const lines: string[] = []
  const server = new ProbeServer({
    host: '127.0.0.1',
    port: 0,
    timeoutMs,
    metrics: createMetrics({ process: false }),
    metricsPath,
    log: createLogger({ sink: { write: (line) => lines.push(line) } }),
  })
  await server.start()
  const control = new AbortController()
  const running = server.run(control.signal)
  onTestFinished(async () => {
    control.abort()
    await running
  })
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method })
    return { code: response.status, body: await response.text(), headers: response.headers }
  }
  return { server, lines, get, control, running }
}

function failing() {
  throw new Error('the password is wrong')
}

describe('probes', () => {
  test.each([
    { because: 'all checks pass', path: '/readyz', code: 200, body: 'ok' },
    { because: 'one check passes', path: '/readyz/ping', code: 200, body: 'ok' },
    { because: 'a trailing slash is ignored', path: '/readyz/', code: 200, body: 'ok' },
    { because: 'liveness has two names', path: '/livez', code: 200, body: 'ok' },
    {
      because: 'liveness has two names, also for one check',
      path: '/healthz/ping',
      code: 200,
      body: 'ok',
    },
    {
      because: 'the check does not exist',
      path: '/readyz/nothing',
      code: 404,
      body: '404 page not found\n',
    },
    { because: 'the page does not exist', path: '/', code: 404, body: '404 page not found\n' },
    { because: 'the path is invalid', path: '//', code: 404, body: '404 page not found\n' },
    {
      because: 'a verbose response lists the checks',
      path: '/livez?verbose',
      code: 200,
      body: '[+]ping ok\nlivez check passed\n',
    },
  ])('$because: $path', async ({ path, code, body }) => {
    const { get } = await setUp()
    expect(await get(path)).toMatchObject({ code, body })
  })

  test('name the failed check, log the reason only, and are never cached', async () => {
    const { server, get, lines } = await setUp()
    server.ready.set('database', failing)
    const { code, body, headers } = await get('/readyz')
    expect([code, body]).toEqual([
      500,
      '[+]ping ok\n[-]database failed: reason withheld\nreadyz check failed\n',
    ])
    expect(headers.get('cache-control')).toContain('no-cache')
    expect(lines[0]).toContain('the password is wrong')
    expect((await get('/livez')).code).toBe(200)
    expect((await get('/readyz/database')).code).toBe(500)
  })

  test('skip excluded checks, and warn about exclusions that match nothing', async () => {
    const { server, get } = await setUp()
    server.ready.set('database', failing)
    expect(await get('/readyz?exclude=database')).toMatchObject({ code: 200, body: 'ok' })
    expect((await get('/readyz?exclude=database&exclude=x&verbose')).body).toBe(
      '[+]ping ok\n[+]database excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nreadyz check passed\n',
    )
  })

  test('do not wait for a check that hangs', async () => {
    const { server, get } = await setUp({ timeoutMs: 20 })
    server.ready.set('stuck', () => new Promise(() => undefined))
    expect((await get('/readyz')).code).toBe(500)
  })

  test('accept GET and HEAD only', async () => {
    const { get } = await setUp()
    expect((await get('/readyz', 'POST')).code).toBe(405)
    expect(await get('/readyz', 'HEAD')).toMatchObject({ code: 200, body: '' })
  })
})

test('metrics are served in the format that Prometheus reads', async () => {
  const { get } = await setUp()
  const { code, body, headers } = await get('/metrics')
  expect(code).toBe(200)
  expect(headers.get('content-type')).toContain('text/plain; version=0.0.4')
  expect(body).toContain('# TYPE leader_election_master_status gauge')
})

test('metrics are served at the configured path only', async () => {
  const { get } = await setUp({ metricsPath: '/internal/metrics' })
  expect((await get('/internal/metrics')).code).toBe(200)
  expect((await get('/metrics')).code).toBe(404)
})

test('a port that is taken is an error at start, and stopping frees it', async () => {
  const first = await setUp()
  const log = silentLogger
  const { port } = first.server
  const second = new ProbeServer({ host: '127.0.0.1', port, log })
  await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' })
  first.control.abort()
  await first.running
  const third = new ProbeServer({ host: '127.0.0.1', port, log })
  await third.start()
  await third.run(AbortSignal.abort())
})
