import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { frame, http2Bed, send, sweptClock } from './testing/http2-bed.ts'

const { listen, open, openRaw } = http2Bed()

const answerBytes = 100_000
const limits = { unreadBytes: 2_000_000, unreadBytesPerConnection: 1_000_000 }

/** A server with answers of 100,000 bytes, each a copy, and which of them are still kept for a client. */
async function answers() {
  const kept = new Set<ServerResponse>()
  const { port } = await listen({
    handler: (_request, response) => {
      kept.add(response)
      response.once('close', () => kept.delete(response))
      response.end(Buffer.alloc(answerBytes, 'x'))
    },
    http2Limits: limits,
  })
  return { port, kept, keptBytes: () => kept.size * answerBytes }
}

/** The frames of a client that allows all to be sent at once. */
function unlimitedWindow(): Buffer {
  const setting = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])
  const more = Buffer.from([0x7f, 0xf0, 0, 0])
  return Buffer.concat([frame(4, 0, 0, setting), frame(8, 0, 0, more)])
}

/** GET, https, the path and the authority. */
const get = Buffer.from('\x82\x87\x04\x02/x\x01\x09localhost', 'latin1')

/** Node crashed in one of a hundred cases when a session ended while its frames were read. */
const often = { repeats: 10 }

describe('answers that nobody reads', () => {
  test('of one connection are reset beyond its limit, and others are served', async () => {
    const { port, keptBytes } = await answers()
    const session = open(port, { settings: { initialWindowSize: 0 } })
    const codes: number[] = []
    for (let at = 0; at < 60; at += 1) {
      void send(session, '/').answer.then(({ code }) => codes.push(code))
    }
    await expect.poll(() => codes.length).toBe(50)
    // ENHANCE_YOUR_CALM: they were processed, so a client must not take them for refused.
    expect(new Set(codes)).toEqual(new Set([11]))
    expect(keptBytes()).toBeLessThanOrEqual(limits.unreadBytesPerConnection)
    expect((await send(open(port), '/').answer).text).toHaveLength(answerBytes)
  })

  test('of many connections end those that keep most, and others are served', often, async () => {
    const { port, keptBytes } = await answers()
    const sessions = Array.from({ length: 6 }, () =>
      open(port, { settings: { initialWindowSize: 0 } }),
    )
    const reader = open(port)
    for (const session of sessions) for (let at = 0; at < 9; at += 1) void send(session, '/')
    await expect
      .poll(() => sessions.filter(({ destroyed }) => destroyed).length)
      .toBeGreaterThanOrEqual(4)
    await expect.poll(keptBytes).toBeLessThanOrEqual(limits.unreadBytes)
    expect((await send(reader, '/').answer).text).toHaveLength(answerBytes)
    expect(keptBytes()).toBeLessThanOrEqual(limits.unreadBytes)
  })

  test(
    'of clients that allow all to be sent but take nothing from the connection',
    often,
    async () => {
      const { port, keptBytes } = await answers()
      const sockets = await Promise.all(Array.from({ length: 4 }, () => openRaw(port)))
      for (const socket of sockets) {
        socket.pause()
        const requests = Array.from({ length: 99 }, (_, at) => frame(1, 5, 1 + 2 * at, get))
        socket.write(Buffer.concat([unlimitedWindow(), ...requests]))
      }
      expect((await send(open(port), '/').answer).text).toHaveLength(answerBytes)
      expect(keptBytes()).toBeLessThanOrEqual(limits.unreadBytes)
    },
  )

  test('a single answer may be larger than the limit of its connection', async () => {
    const large = 'x'.repeat(1_500_000)
    const { port } = await listen({
      handler: (_request, response) => response.end(large),
      http2Limits: limits,
    })
    expect((await send(open(port), '/').answer).text).toHaveLength(large.length)
  })
})

describe('a slow client', () => {
  const content = 'x'.repeat(400_000)
  const http2Limits = { unreadMs: 600, sweepMs: 10 }

  /** Takes so many pieces, with a pause after each. */
  function readSlowly(
    port: number,
    pieces: number,
    pause: () => Promise<unknown> = async () => undefined,
  ) {
    const session = open(port, { settings: { initialWindowSize: 16_384 } })
    const { stream, answer } = send(session, '/')
    let taken = 0
    stream.on('data', () => {
      taken += 1
      stream.pause()
      if (taken < pieces) void pause().then(() => stream.resume())
    })
    return { answer, session }
  }

  test('that reads steadily gets all, however long it takes', async () => {
    const { clock, advance } = sweptClock()
    const { port } = await listen({
      handler: (_request, response) => response.end(content),
      ...{ http2Limits, clock },
    })
    const { answer } = readSlowly(port, Number.POSITIVE_INFINITY, () => advance(100))
    expect(await answer).toMatchObject({ status: 200, code: 0 })
    expect((await answer).text).toHaveLength(content.length)
    // Otherwise the test shows nothing.
    expect(clock.elapsed()).toBeGreaterThan(2 * http2Limits.unreadMs)
  })

  test('that stops in the middle is cut, whatever else it sends', async () => {
    const closed = Promise.withResolvers<boolean>()
    const { port } = await listen({
      handler: (_request, response) => {
        response.once('close', () => closed.resolve(response.writableFinished))
        response.end(content)
      },
      http2Limits,
    })
    const { session } = readSlowly(port, 3)
    const pings = setInterval(() => !session.destroyed && session.ping(() => undefined), 20)
    expect(await closed.promise.finally(() => clearInterval(pings))).toBe(false)
  })

  test('that takes nothing from its connection loses it', async () => {
    const closed = Promise.withResolvers<void>()
    const { port } = await listen({
      handler: (_request, response) => {
        response.once('close', () => closed.resolve())
        // More than the system takes for a client.
        response.end(Buffer.alloc(30_000_000))
      },
      http2Limits,
    })
    const socket = await openRaw(port)
    socket.pause()
    socket.write(Buffer.concat([unlimitedWindow(), frame(1, 5, 1, get)]))
    await closed.promise
  })
})
