import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as httpRequest, type ServerResponse } from 'node:http'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import { systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificateFolders } from '../testing/certificate-folders.ts'
import type { HttpHandler } from './app.ts'
import { HttpServer, type HttpServerOptions } from './http-server.ts'
import { sendAnswer } from './send-answer.ts'
import { UnreadAnswers } from './unread-answers.ts'

/** Generous, for slow machines. */
const whole = { timeout: 60_000 }
const pollOptions = { timeout: 30_000 }

async function listen(change: Partial<HttpServerOptions>) {
  const lines: string[] = []
  const server = new HttpServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    handler: (_request, response) => response.end('hello'),
    onStop: () => undefined,
    onStopped: () => undefined,
    drainMs: 30_000,
    log: createLogger({ sink: { write: (line) => lines.push(line) } }),
    clock: systemClock,
    ...change,
  })
  await server.start()
  const end = new AbortController()
  const running = server.run(end.signal)
  const stop = async (): Promise<void> => {
    end.abort()
    await running
  }
  onTestFinished(stop)
  return { server, lines, stop, stopNow: () => end.abort(), running }
}

function ask(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(text))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end()
  })
}

describe('stopping', whole, () => {
  test('closes what was opened for a server whose port is taken', async () => {
    const { server } = await listen({})
    const events: string[] = []
    const second = listen({
      port: server.port,
      onStart: async () => void events.push('start'),
      onStopped: () => events.push('stopped'),
    })
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(events).toEqual(['start', 'stopped'])
  })

  test('finishes running requests, refuses new connections, and then closes', async () => {
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const events: string[] = []
    const { server, stopNow, running } = await listen({
      handler: (_request, response) => {
        asked.resolve()
        void release.promise.then(() => response.end('done'))
      },
      onStop: () => events.push('stop'),
      onStopped: () => events.push('stopped'),
    })
    const answer = ask(server.port)
    await asked.promise
    const { port } = server
    stopNow()
    await expect.poll(() => ask(port).catch(() => 'refused'), pollOptions).toBe('refused')
    expect(events).toEqual(['stop'])
    release.resolve()
    expect(await answer).toBe('done')
    await running
    expect(events).toEqual(['stop', 'stopped'])
  })

  test('cuts requests that do not end in time', async () => {
    const asked = Promise.withResolvers<void>()
    const { server, stop, lines } = await listen({
      handler: () => asked.resolve(),
      drainMs: 1,
    })
    const answer = ask(server.port).catch(() => 'cut')
    await asked.promise
    await stop()
    expect(await answer).toBe('cut')
    expect(lines.join('\n')).toContain('interrupted by shutdown')
  })
})

describe('an answer', whole, () => {
  // More than the system takes for a client.
  const content = Buffer.alloc(30_000_000)

  /** A client that asks and reads nothing, and its answer. */
  async function leaveUnread(answer: HttpHandler, options: Partial<HttpServerOptions> = {}) {
    const { files, oldAuthority: ca } = await makeCertificateFolders()
    const asked = Promise.withResolvers<ServerResponse>()
    const { server } = await listen({
      tls: files,
      handler: (request, response) => {
        asked.resolve(response)
        answer(request, response)
      },
      ...options,
    })
    const socket = connect({ host: '127.0.0.1', port: server.port, ca, servername: 'localhost' })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    return { response: await asked.promise, socket }
  }

  test('that nobody reads is not copied as a whole, and is whole for a late reader', async () => {
    const bytes = { bytes: content, contentType: 'text/plain' }
    const { signal } = new AbortController()
    let mostKept = 0
    const { response, socket } = await leaveUnread((request, response) => {
      const write = response.write.bind(response) as (...given: unknown[]) => boolean
      response.write = (...given: unknown[]) => {
        const isTaken = write(...given)
        mostKept = Math.max(mostKept, response.writableLength)
        return isTaken
      }
      void sendAnswer(request, response, bytes, { signal, unread: new UnreadAnswers() })
    })
    await expect.poll(() => response.writableNeedDrain, pollOptions).toBe(true)
    let taken = 0
    socket.on('data', (chunk) => {
      taken += chunk.length
    })
    socket.resume()
    await expect.poll(() => taken, pollOptions).toBeGreaterThan(content.length)
    await expect.poll(() => response.writableFinished, pollOptions).toBe(true)
    expect(mostKept).toBeGreaterThan(0)
    expect(mostKept).toBeLessThan(300_000)
  })

  test('that nobody reads is dropped when it is written', async () => {
    const { response } = await leaveUnread((_request, response) => response.end(content), {
      unreadMs: 100,
    })
    await once(response, 'close')
    expect(response.writableFinished).toBe(false)
  })

  test('leaves the next of its connection the time that it needs', async () => {
    const { server } = await listen({
      unreadMs: 50,
      handler: ({ url }, response) => {
        if (url === '/soon') response.end('soon')
        else setTimeout(() => response.end('late'), 400)
      },
    })
    const socket = connectPlain(server.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    for (const path of ['/soon', '/late']) socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    await expect.poll(() => text, pollOptions).toMatch(/soon.*late/s)
  })
})

describe('the certificate', whole, () => {
  test('is renewed without a restart, and kept while the files do not fit', async () => {
    const { files, oldAuthority, newAuthority, install } = await makeCertificateFolders()
    const { server, lines } = await listen({
      tls: files,
      certificateIntervalMs: 10,
    })
    const trusts = (authority: string) => trusted(server.port, authority)
    expect(await trusts(oldAuthority)).toBe(true)
    expect(await trusts(newAuthority)).toBe(false)
    // As while a file is written.
    writeFileSync(files.certificate, '')
    await expect.poll(() => lines.join('\n'), pollOptions).toContain('certificate not renewed')
    expect(await trusts(oldAuthority)).toBe(true)
    install('new', 'apiserver.crt')
    await expect.poll(() => lines.join('\n'), pollOptions).toContain('certificate not renewed')
    expect(await trusts(oldAuthority)).toBe(true)
    install('new', 'apiserver.key')
    await expect.poll(() => trusts(newAuthority), pollOptions).toBe(true)
    expect(await trusts(oldAuthority)).toBe(false)
  })
})

function trusted(port: number, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ca }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
