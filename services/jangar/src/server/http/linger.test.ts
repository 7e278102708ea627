import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { systemClock } from '@agents/controller'
import { silentLogger } from '@agents/log'
import { expect, onTestFinished, test } from 'vitest'
import { ApiError, apiErrorOf } from '../api/api-error.ts'
import { makeCertificateFolders } from '../testing/certificate-folders.ts'
import type { HttpHandler } from './app.ts'
import { HttpServer } from './http-server.ts'
import type { LingerLimits } from './linger.ts'
import { limited } from './read-body.ts'
import { sendError } from './send-answer.ts'

const pollOptions = { timeout: 20_000 }
/** Beyond what a test waits for, so that none passes because of a limit that it does not set. */
const generous: LingerLimits = { ms: 120_000, bytes: 100_000_000 }

/** A client's connection, after the head of a request with a body. */
async function open(handler: HttpHandler, head: string) {
  const { files, oldAuthority: ca } = await makeCertificateFolders()
  const server = new HttpServer({
    ...{ host: '127.0.0.1', port: 0, tls: files, handler, drainMs: 1 },
    onStop: () => undefined,
    onStopped: () => undefined,
    ...{ log: silentLogger, clock: systemClock },
  })
  await server.start()
  const end = new AbortController()
  const running = server.run(end.signal)
  onTestFinished(async () => {
    end.abort()
    await running
  })
  const socket = connect({ host: '127.0.0.1', port: server.port, ca, servername: 'localhost' })
  onTestFinished(() => void socket.destroy())
  const seen = { text: '', error: '', isClosed: false }
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    seen.text += chunk
  })
  socket.on('error', (error) => {
    seen.error = error.message
  })
  socket.once('close', () => {
    seen.isClosed = true
  })
  await once(socket, 'secureConnect')
  socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\n${head}\r\n\r\n`)
  return { socket, seen }
}

/** Refuses a request by its head alone. */
function refuse(limits: LingerLimits): HttpHandler {
  return (request, response) =>
    sendError(request, response, new ApiError('NotFound', 'unknown path'), limits)
}

test('a client that is still sending gets the error, and can send its body to the end', async () => {
  const { socket, seen } = await open(refuse(generous), 'content-length: 500000')
  await expect.poll(() => seen.text, pollOptions).toContain('unknown path')
  expect(seen.text).toMatch(/^HTTP\/1\.1 404 .*connection: close/is)
  for (let piece = 0; piece < 10; piece += 1) {
    expect(seen).toMatchObject({ error: '', isClosed: false })
    socket.write(Buffer.alloc(50_000))
    await delay(20)
  }
  await expect.poll(() => seen.isClosed, pollOptions).toBe(true)
  expect(seen.error).toBe('')
})

test('a client that does not send its body is cut after the time for it', async () => {
  const { seen } = await open(refuse({ ...generous, ms: 100 }), 'content-length: 500000')
  await expect.poll(() => seen.isClosed, pollOptions).toBe(true)
  expect(seen.text).toContain('unknown path')
})

test('a client may leave in the middle of its body', async () => {
  const responses: ServerResponse[] = []
  const { socket, seen } = await open((request, response) => {
    responses.push(response)
    refuse(generous)(request, response)
  }, 'content-length: 500000')
  await expect.poll(() => seen.text, pollOptions).toContain('unknown path')
  socket.write(Buffer.alloc(50_000))
  socket.destroy()
  await expect.poll(() => responses.map(({ closed }) => closed), pollOptions).toEqual([true])
})

test('a client that sends too much after the error is cut', async () => {
  const { socket, seen } = await open(
    refuse({ ...generous, bytes: 200_000 }),
    'transfer-encoding: chunked',
  )
  const chunk = `${(1000).toString(16)}\r\n${'x'.repeat(1000)}\r\n`
  const sending = setInterval(() => void socket.write(chunk.repeat(10)), 1)
  onTestFinished(() => clearInterval(sending))
  await expect.poll(() => seen.isClosed, pollOptions).toBe(true)
  expect(socket.bytesWritten).toBeGreaterThan(200_000)
})

test('a request that follows the body is not processed', async () => {
  let requests = 0
  const { socket, seen } = await open((request, response) => {
    requests += 1
    refuse(generous)(request, response)
  }, 'content-length: 10')
  await expect.poll(() => seen.text, pollOptions).toContain('unknown path')
  socket.write('0123456789GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await expect.poll(() => seen.isClosed, pollOptions).toBe(true)
  expect(requests).toBe(1)
})

test('a body without a length gets an error when it is too large', async () => {
  const { socket, seen } = await open((request, response) => {
    const read = async (): Promise<void> => {
      for await (const _chunk of limited(request, 5_000));
    }
    read().catch((error: unknown) => sendError(request, response, apiErrorOf(error), generous))
  }, 'transfer-encoding: chunked')
  const chunk = `${(1000).toString(16)}\r\n${'x'.repeat(1000)}\r\n`
  for (let piece = 0; piece < 100; piece += 1) socket.write(chunk)
  await expect.poll(() => seen.text, pollOptions).toContain('at most 5000 bytes')
  expect(seen.text).toMatch(/^HTTP\/1\.1 413 /)
  socket.write('0\r\n\r\n')
  await expect.poll(() => seen.isClosed, pollOptions).toBe(true)
  expect(seen.error).toBe('')
})
