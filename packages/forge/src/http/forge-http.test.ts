import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ForgeError } from '../forge-error.ts'
import { ForgeHttp } from './forge-http.ts'
import { ResponseMemory } from './response-memory.ts'

const token = 'tok-7c1d'
const never = new AbortController().signal

async function serve(answer: RequestListener): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

function client(baseUrl: string, memory?: ResponseMemory, timeoutMs?: number): ForgeHttp {
  return new ForgeHttp(
    { baseUrl, token, memory, timeoutMs },
    { authorization: `Bearer ${token}`, accept: 'application/json' },
  )
}

/** Must fail; everything that a log could show of the error is without the token and the text of the response. */
async function failureOf(promise: Promise<unknown>): Promise<ForgeError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ForgeError)) throw new Error(`not a ForgeError: ${String(error)}`)
  const shown = inspect(error, { depth: 10, showHidden: true })
  expect(shown).not.toContain(token)
  expect(shown).not.toContain('inner-secret')
  return error
}

describe('a request', () => {
  test('has the token, the query and the body', async () => {
    let body = ''
    const { url, seen } = await serve((request, response) => {
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => response.writeHead(201).end('{"a":1}'))
    })
    const request = { method: 'POST', path: '/x', query: { q: 'a b', no: undefined } } as const
    const http = client(`${url}/api/v1/`)
    expect(await http.json({ ...request, body: { t: 'é' }, signal: never })).toEqual({ a: 1 })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /api/v1/x?q=a+b'])
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${token}`)
    expect(body).toBe('{"t":"é"}')
  })

  test.each([
    { status: 401, problem: 'unauthorized' },
    { status: 403, problem: 'forbidden' },
    { status: 404, problem: 'missing' },
    { status: 409, problem: 'conflict' },
    { status: 422, problem: 'invalid' },
    { status: 418, problem: 'invalid' },
  ])('that is refused with $status is $problem, and its text is not shown', async (row) => {
    const { url, seen } = await serve((_request, response) => {
      response.writeHead(row.status).end(`{"message":"inner-secret ${token}"}`)
    })
    const error = await failureOf(client(url).json({ path: '/x', signal: never }))
    expect(error).toMatchObject(row)
    expect(seen).toHaveLength(1)
  })

  test.each([
    { text: 'A pull request already exists for o:b.', problem: 'conflict' },
    { text: 'No commits between main and b', problem: 'invalid' },
  ])('is understood by what the service says: $text', async ({ text, problem }) => {
    const { url } = await serve((_request, response) => {
      response.writeHead(422).end(JSON.stringify({ errors: [{ message: text }] }))
    })
    expect(await failureOf(client(url).json({ path: '/x', signal: never }))).toMatchObject({
      problem,
    })
  })
})

describe('rate limits', () => {
  test.each([
    { because: 'seconds', status: 429, headers: { 'retry-after': '7' }, ms: 7000 },
    { because: 'nothing is said', status: 429, headers: {}, ms: 60_000 },
    {
      because: 'it is bounded',
      status: 429,
      headers: { 'retry-after': '999999999' },
      ms: 3_600_000,
    },
    { because: 'nonsense', status: 429, headers: { 'retry-after': '-1; soon' }, ms: 60_000 },
    {
      because: 'the secondary limit of GitHub',
      status: 403,
      headers: { 'retry-after': '30' },
      ms: 30_000,
    },
  ])('$because: the caller has to wait $ms ms, and nothing is repeated', async (row) => {
    const { url, seen } = await serve((_request, response) => {
      response.writeHead(row.status, row.headers).end('{}')
    })
    const error = await failureOf(client(url).json({ path: '/x', signal: never }))
    expect(error).toMatchObject({ problem: 'rate-limited', retryAfterMs: row.ms })
    expect(seen).toHaveLength(1)
  })

  test('are known by the time at which they are reset', async () => {
    const before = Date.now()
    const reset = Math.ceil(before / 1000) + 100
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }
    const { url } = await serve((_request, response) => response.writeHead(403, headers).end('{}'))
    const error = await failureOf(client(url).json({ path: '/x', signal: never }))
    expect(error.problem).toBe('rate-limited')
    // From a moment during the request, whose length does not matter.
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(reset * 1000 - Date.now())
    expect(error.retryAfterMs).toBeLessThan(reset * 1000 - before + 1000)
  })
})

describe('faults of the service', () => {
  test('are tried again for reads', async () => {
    let left = 2
    const { url, seen } = await serve((_request, response) => {
      response.writeHead(left-- > 0 ? 502 : 200).end('[]')
    })
    expect(await client(url).json({ path: '/x', signal: never })).toEqual([])
    expect(seen).toHaveLength(3)
  })

  test('are not tried again for writes, which may have been carried out', async () => {
    const { url, seen } = await serve((request) => request.socket.destroy())
    const request = { method: 'POST', path: '/x', body: {}, signal: never } as const
    expect(await failureOf(client(url).json(request))).toMatchObject({ problem: 'unreachable' })
    expect(seen).toHaveLength(1)
  })

  test('end a request that gets no answer', async () => {
    const { url } = await serve(() => undefined)
    const request = { method: 'POST', path: '/x', body: {}, signal: never } as const
    const error = await failureOf(client(url, undefined, 100).json(request))
    expect(error.problem).toBe('unreachable')
  })

  test('do not fill the memory: a body without end is cut off', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x')
    let sent = 0
    const { url } = await serve((_request, response) => {
      response.writeHead(200)
      const write = () => {
        sent += 1
        if (sent < 100 && !response.destroyed) response.write(piece, () => setImmediate(write))
        else response.end()
      }
      write()
    })
    const error = await failureOf(client(url).json({ path: '/x', signal: never }))
    expect(error.problem).toBe('garbled')
    expect(sent).toBeLessThan(40)
  })

  test.each(['<html>inner-secret', '{"a":', '\u0000'])(
    'are noticed: %j is not JSON',
    async (text) => {
      const { url } = await serve((_request, response) => response.end(text))
      const error = await failureOf(client(url).json({ path: '/x', signal: never }))
      expect(error.problem).toBe('garbled')
    },
  )

  test('are not confused with a stop', async () => {
    const control = new AbortController()
    const { url } = await serve(() => control.abort(new Error('enough')))
    const asked = client(url).json({ path: '/x', signal: control.signal })
    await expect(asked).rejects.toThrow('enough')
  })
})

describe('redirects', () => {
  test.each([301, 302, 307, 308])('by %i to another host never get the token', async (status) => {
    const other = await serve((_request, response) => response.end('{}'))
    const { url } = await serve((_request, response) => {
      response.writeHead(status, { location: `${other.url}/x` }).end()
    })
    await failureOf(client(url).json({ path: '/x', signal: never }))
    expect(other.seen).toEqual([])
  })

  test('within the host are followed, as for a renamed repository', async () => {
    const { url, seen } = await serve((request, response) => {
      if (request.url === '/new') response.end('{"ok":true}')
      else response.writeHead(307, { location: '/new' }).end()
    })
    const request = { method: 'POST', path: '/old', body: {}, signal: never } as const
    expect(await client(url).json(request)).toEqual({ ok: true })
    expect(seen.map((one) => `${one.method} ${one.url}`)).toEqual(['POST /old', 'POST /new'])
  })

  test('in a circle end', async () => {
    const { url, seen } = await serve((_request, response) => {
      response.writeHead(307, { location: '/x' }).end()
    })
    await failureOf(client(url).json({ path: '/x', signal: never }))
    expect(seen.length).toBeLessThan(6)
  })
})

describe('repeated reads', () => {
  test('are conditional, and the answer is that of before', async () => {
    const { url, seen } = await serve((request, response) => {
      const isKnown = request.headers['if-none-match'] === '"v1"'
      if (isKnown) response.writeHead(304).end()
      else response.writeHead(200, { etag: '"v1"' }).end('{"n":1}')
    })
    const memory = new ResponseMemory()
    const http = client(url, memory)
    expect(await http.json({ path: '/x', signal: never })).toEqual({ n: 1 })
    expect(await http.json({ path: '/x', signal: never })).toEqual({ n: 1 })
    expect(seen.map((one) => one.headers['if-none-match'])).toEqual([undefined, '"v1"'])
  })

  test('with another token know nothing of it', async () => {
    const { url, seen } = await serve((_request, response) => {
      response.writeHead(200, { etag: '"v1"' }).end('{}')
    })
    const memory = new ResponseMemory()
    await client(url, memory).json({ path: '/x', signal: never })
    await new ForgeHttp({ baseUrl: url, token: 'b', memory }, {}).json({
      path: '/x',
      signal: never,
    })
    expect(seen.map((one) => one.headers['if-none-match'])).toEqual([undefined, undefined])
  })

  test('are forgotten beyond a number of them', () => {
    const memory = new ResponseMemory(2)
    for (const key of ['a', 'b', 'c']) {
      memory.set(key, { etag: key, body: key, link: null, size: 1 })
    }
    expect(['a', 'b', 'c'].map((key) => memory.get(key)?.body)).toEqual([undefined, 'b', 'c'])
  })

  test('are forgotten beyond a number of bytes, so that a service cannot fill the memory', async () => {
    const { url, seen } = await serve((_request, response) => {
      response.writeHead(200, { etag: '"v1"' }).end(JSON.stringify('x'.repeat(400)))
    })
    const http = client(url, new ResponseMemory(1000, 1000))
    for (const path of ['/a', '/b', '/c', '/a', '/c']) await http.json({ path, signal: never })
    const conditional = seen.filter((one) => one.headers['if-none-match'] !== undefined)
    expect(conditional.map((one) => one.url)).toEqual(['/c'])
  })
})

describe('pages', () => {
  test('are read to the last, on the host that was asked', async () => {
    const other = await serve((_request, response) => response.end('[]'))
    const { url, seen } = await serve((request, response) => {
      const page = Number(new URL(request.url ?? '', url).searchParams.get('page') ?? 1)
      const link = `<${other.url}/y?page=${page + 1}>; rel="next", <${url}/x?page=3>; rel="last"`
      response.writeHead(200, page < 3 ? { link } : {}).end(`[${page}]`)
    })
    expect(await client(url).pages({ path: '/x', signal: never })).toEqual([1, 2, 3])
    expect(seen.map((one) => one.url)).toEqual(['/x', '/x?page=2', '/x?page=3'])
    expect(other.seen).toEqual([])
  })

  test('without end are cut off', async () => {
    let page = 1
    const { url } = await serve((_request, response) => {
      page += 1
      response.writeHead(200, { link: `</x?page=${page}>; rel="next"` }).end('[0]')
    })
    expect(await client(url).pages({ path: '/x', signal: never }, 5)).toHaveLength(5)
  })

  test('that are too large together do not fill the memory', async () => {
    const text = JSON.stringify(['x'.repeat(7 * 1024 * 1024)])
    let page = 1
    const { url, seen } = await serve((_request, response) => {
      page += 1
      response.writeHead(200, { link: `</x?page=${page}>; rel="next"` }).end(text)
    })
    const failure = await failureOf(client(url).pages({ path: '/x', signal: never }))
    expect(failure.problem).toBe('garbled')
    expect(seen.length).toBeLessThan(6)
  })
})
