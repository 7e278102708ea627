import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { limited } from './read-body.ts'
import { webhookDoor } from './routes/webhook-door.ts'
import { frame, http2Bed, send, sweptClock } from './testing/http2-bed.ts'

const { listen, open, openRaw, authority } = http2Bed()

const post = { ':method': 'POST' }

test('one port serves both versions', async () => {
  const versions: string[] = []
  const { port } = await listen({
    handler: ({ httpVersion, headers }, response) => {
      versions.push(`${httpVersion} ${headers.host}`)
      response.end('hello')
    },
  })
  expect(await send(open(port), '/').answer).toEqual({ status: 200, text: 'hello', code: 0 })
  const status = await new Promise((resolve, reject) => {
    const given = { host: '127.0.0.1', port, ca: authority(), servername: 'localhost' }
    const request = httpsRequest({ ...given, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    request.on('error', reject).end()
  })
  expect(status).toBe(200)
  expect(versions).toEqual([`2.0 localhost:${port}`, `1.1 127.0.0.1:${port}`])
})

test.each([
  { because: 'two hosts', headers: { host: 'evil.example' }, status: 400 },
  { because: 'the same host twice', headers: { host: 'SAME' }, status: 200 },
])('a request with $because gets $status', async ({ headers, status }) => {
  const { port } = await listen({})
  const authority = `localhost:${port}`
  const host = headers.host === 'SAME' ? authority : headers.host
  const { answer } = send(open(port), '/', { headers: { ':authority': authority, host } })
  expect((await answer).status).toBe(status)
})

describe('stopping', () => {
  test('finishes what has begun, tells clients to go, and takes nothing new', async () => {
    const begun: ServerResponse[] = []
    const { port, stopNow, running } = await listen({
      handler: (_request, response) => void begun.push(response),
    })
    const session = open(port)
    let goaway: number | undefined
    session.on('goaway', (code) => {
      goaway = code
    })
    const answers = ['/a', '/b'].map((path) => send(session, path).answer)
    await expect.poll(() => begun.length).toBe(2)
    stopNow()
    await expect.poll(() => goaway).toBe(0)
    await expect.poll(() => send(open(port), '/late').answer).toMatchObject({ text: '' })
    expect(begun).toHaveLength(2)
    for (const response of begun) response.end('whole')
    for (const answer of answers) expect(await answer).toMatchObject({ text: 'whole', code: 0 })
    await running
  })

  test('cuts what does not end in time', async () => {
    const asked = Promise.withResolvers<void>()
    const handler = () => asked.resolve()
    const { port, stopNow, running, lines } = await listen({ handler, drainMs: 50 })
    const { answer } = send(open(port), '/')
    await asked.promise
    stopNow()
    await running
    expect(await answer).toMatchObject({ text: '' })
    expect(lines.join('')).toContain('interrupted by shutdown')
  })
})

describe('limits', () => {
  test('a connection has so many requests at a time, others are refused', async () => {
    const begun: ServerResponse[] = []
    const { port } = await listen({
      handler: (_request, response) => void begun.push(response),
      http2Limits: { streamsPerConnection: 5 },
    })
    // All are sent before the client knows the limit.
    const session = open(port)
    let refused = 0
    const answers = Array.from({ length: 20 }, async () => {
      const answer = await send(session, '/').answer
      if (answer.code === 7) refused += 1
      return answer
    })
    await expect.poll(() => refused).toBe(15)
    expect(begun).toHaveLength(5)
    for (const response of begun) response.end()
    const codes = (await Promise.all(answers)).map(({ code }) => code)
    expect(codes.filter((code) => code === 0)).toHaveLength(5)
    expect(codes.filter((code) => code === 7)).toHaveLength(15)
  })

  test('all connections have so many requests at a time', async () => {
    const begun: ServerResponse[] = []
    const { port } = await listen({
      handler: (_request, response) => void begun.push(response),
      http2Limits: { streams: 3 },
    })
    for (let at = 0; at < 3; at += 1) void send(open(port), '/')
    await expect.poll(() => begun.length).toBe(3)
    expect(await send(open(port), '/').answer).toMatchObject({ code: 7 })
    for (const response of begun) response.end()
    await expect.poll(() => begun.every(({ writableFinished }) => writableFinished)).toBe(true)
    void send(open(port), '/')
    await expect.poll(() => begun.length).toBe(4)
  })

  test.each([
    { because: 'large', headers: { 'x-large': 'a'.repeat(60_000) } },
    { because: 'large for nghttp2', headers: { 'x-large': 'a'.repeat(100_000) } },
    {
      because: 'many',
      headers: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x-${at}`, 'v'])),
    },
  ])('headers that are too $because reach nobody', async ({ headers }) => {
    const asked: string[] = []
    const { port } = await listen({
      handler: ({ url = '' }, response) => {
        asked.push(url)
        response.end()
      },
    })
    expect(await send(open(port), '/large', { headers }).answer).toMatchObject({ text: '' })
    expect((await send(open(port), '/next').answer).status).toBe(200)
    expect(asked).toEqual(['/next'])
  })

  test('a flood of requests that are reset at once ends its connection alone', async () => {
    let asked = 0
    const handler = () => {
      asked += 1
    }
    const { port } = await listen({ handler })
    const [flood, other] = [open(port), open(port)]
    let isClosed = false
    flood.on('close', () => {
      isClosed = true
    })
    for (let at = 0; at < 200 && !isClosed; at += 1) {
      for (let burst = 0; burst < 50 && !flood.destroyed && !flood.closed; burst += 1) {
        const { stream } = send(flood, '/')
        stream.close(8)
      }
      await sleep(1)
    }
    await expect.poll(() => isClosed).toBe(true)
    expect(asked).toBeLessThan(5000)
    void send(other, '/')
    const before = asked
    await expect.poll(() => asked).toBe(before + 1)
  })

  test.each([
    { frames: 'pings', bytes: frame(6, 0, 0, Buffer.alloc(8)) },
    { frames: 'settings', bytes: frame(4, 0, 0) },
  ])(
    'a flood of $frames from a client that reads nothing ends its connection',
    async ({ bytes }) => {
      const { port } = await listen({})
      const socket = await openRaw(port)
      let isClosed = false
      socket.on('close', () => {
        isClosed = true
      })
      socket.pause()
      const many = Buffer.concat(Array.from({ length: 5000 }, () => bytes))
      for (let at = 0; at < 400 && !socket.destroyed; at += 1) {
        if (!socket.write(many))
          await Promise.race([once(socket, 'drain').catch(() => undefined), sleep(100)])
      }
      socket.resume()
      await expect.poll(() => isClosed).toBe(true)
      expect((await send(open(port), '/').answer).status).toBe(200)
    },
  )

  test('a connection without requests is closed, whatever else it sends', async () => {
    const { port } = await listen({ http2Limits: { idleMs: 100, sweepMs: 20 } })
    const session = open(port)
    const pings = setInterval(() => !session.destroyed && session.ping(() => undefined), 10)
    onTestFinished(() => clearInterval(pings))
    await expect.poll(() => session.closed || session.destroyed).toBe(true)
  })

  test('a body that does not end is cut, and other requests of the connection are not', async () => {
    const begun: ServerResponse[] = []
    const { clock, advance } = sweptClock()
    const { port } = await listen({
      handler: (request, response) => {
        begun.push(response)
        if (request.method === 'POST') request.resume()
      },
      ...{ http2Limits: { requestMs: 100, sweepMs: 10 }, clock },
    })
    const session = open(port)
    const quiet = send(session, '/events').answer
    const slow = send(session, '/slow', { headers: post, part: '{' }).answer
    await expect.poll(() => begun.length).toBe(2)
    await advance(101)
    expect(await slow).toMatchObject({ text: '', code: 8 })
    await advance(10_000)
    begun[0]?.end('still open')
    expect(await quiet).toMatchObject({ text: 'still open', code: 0 })
  })

  test('an answer that nobody reads is dropped', async () => {
    const { port } = await listen({
      handler: (_request, response) => response.end('x'.repeat(100_000)),
      http2Limits: { unreadMs: 100, sweepMs: 20 },
    })
    const { answer } = send(open(port, { settings: { initialWindowSize: 0 } }), '/')
    expect((await answer).code).toBe(8)
  })
})

describe('a body', () => {
  async function reads(maxBytes = 1000) {
    const seen: string[] = []
    let arrived = 0
    const { port } = await listen({
      handler: (request, response) => {
        const work = async () => {
          const pieces: Buffer[] = []
          for await (const piece of limited(request, maxBytes)) {
            pieces.push(piece)
            arrived += piece.length
          }
          seen.push(Buffer.concat(pieces).toString())
          response.end('taken')
        }
        work().catch((error: Error) => {
          seen.push('failed')
          response.statusCode = 413
          response.end(`${error.message}${'.'.repeat(200_000)}`)
        })
      },
    })
    return { seen, port, session: open(port), arrived: () => arrived }
  }

  test('needs no length', async () => {
    const { seen, session } = await reads()
    const { answer } = send(session, '/', { headers: post, body: 'hello' })
    expect(await answer).toMatchObject({ status: 200, text: 'taken' })
    expect(seen).toEqual(['hello'])
  })

  test.each([
    { because: 'shorter than it says', length: '100' },
    { because: 'longer than it says', length: '2' },
  ])('that is $because is never taken for whole', async ({ length }) => {
    const { seen, session, port } = await reads()
    const headers = { ...post, 'content-length': length }
    expect((await send(session, '/', { headers, body: 'hello' }).answer).status).toBeUndefined()
    await expect.poll(() => seen).toEqual(['failed'])
    expect((await send(open(port), '/', { headers: post, body: 'x' }).answer).status).toBe(200)
  })

  test.each([
    { because: 'reset in its middle', end: frame(3, 0, 1, Buffer.from([0, 0, 0, 8])) },
    { because: 'reset without a reason', end: frame(3, 0, 1, Buffer.alloc(4)) },
    { because: 'cut with its connection', end: undefined },
  ])('that is $because is never taken for whole', async ({ end }) => {
    const { seen, port, arrived } = await reads()
    const socket = await openRaw(port)
    // POST, https, the path and the authority.
    const fields = Buffer.from('\x83\x87\x04\x02/x\x01\x09localhost', 'latin1')
    socket.write(Buffer.concat([frame(1, 4, 1, fields), frame(0, 0, 1, Buffer.from('hello'))]))
    await expect.poll(arrived).toBe('hello'.length)
    if (end === undefined) socket.destroy()
    else socket.write(end)
    await expect.poll(() => seen).toEqual(['failed'])
  })

  test('that is too large is answered in full, and read no further', async () => {
    const { session } = await reads(10)
    const { answer } = send(session, '/', { headers: post, part: 'x'.repeat(20) })
    const { status, text } = await answer
    expect([status, text.length > 200_000]).toEqual([413, true])
    expect((await send(session, '/', { headers: post, body: 'x' }).answer).status).toBe(200)
  })
})

test('a forged delivery is turned away at the door, and a part of one reaches nobody', async () => {
  const path = '/api/agents/implementation-sources/webhooks/gitea/red/issues'
  const signed = { 'content-type': 'application/json', 'x-gitea-signature': 'a'.repeat(64) }
  const ofLength = (length: string) => ({ ...post, ...signed, 'content-length': length })
  const door = webhookDoor({ secrets: { find: () => undefined } })
  const taken: boolean[] = []
  const others: string[] = []
  const { port } = await listen({
    handler: (request: IncomingMessage, response: ServerResponse) => {
      taken.push(door(request, response, () => void others.push('proceeded')))
    },
  })
  const session = open(port)
  const forged = await send(session, path, { headers: ofLength('2'), body: '{}' }).answer
  expect([forged.status, JSON.parse(forged.text).code]).toEqual([401, 'Unauthenticated'])
  const half = send(session, path, { headers: ofLength('20'), part: '{' })
  await expect.poll(() => taken.length).toBe(2)
  half.stream.close(8)
  expect((await half.answer).status).toBeUndefined()
  const long = send(session, path, { headers: ofLength('1'), body: '{}' })
  expect((await long.answer).status).toBeUndefined()
  expect(taken).toEqual([true, true, true])
  expect(others).toEqual([])
})
