import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  definitions,
  lenientRules,
  startTestServer,
  type TestServer,
  userOfHeader,
  widgetDefinition,
  widgets,
} from './testing/test-server.ts'

const size = 12 * 1024 * 1024
/** Would be requests of their own if the server lost track of where the body ends. */
const piece = Buffer.from(
  'GET /version HTTP/1.1\r\nHost: localhost\r\nX-User: admin\r\n\r\n'.repeat(1024),
)

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(lenientRules, {
    authenticate: userOfHeader,
  })
  await server.send('POST', definitions, widgetDefinition(), { 'X-User': 'a' })
})

afterAll(async () => {
  await server.stop()
})

describe('a client that sends its whole body before it reads', () => {
  test.each([
    { because: 'a declared length', head: `X-User: a\r\nContent-Length: ${size}`, code: 413 },
    { because: 'chunks', head: 'X-User: a\r\nTransfer-Encoding: chunked', code: 413 },
    { because: 'no user', head: `Content-Length: ${size}`, code: 401 },
  ])('reads the $code of a body with $because, and may go on', async ({ head, code }) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const failed = new Promise<never>((_, reject) => {
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the connection was closed')))
    })
    const write = async (bytes: Buffer | string): Promise<void> => {
      if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), failed])
    }
    const isChunked = head.includes('chunked')
    socket.pause()
    await write(`POST ${widgets} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n`)
    for (let left = size; left > 0; left -= piece.length) {
      const part = piece.subarray(0, left)
      if (isChunked) await write(`${part.length.toString(16)}\r\n`)
      await write(part)
      if (isChunked) await write('\r\n')
    }
    if (isChunked) await write('0\r\n\r\n')
    await write(
      'GET /nothing HTTP/1.1\r\nHost: localhost\r\nX-User: a\r\nConnection: close\r\n\r\n',
    )
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk)).resume()
    await Promise.race([once(socket, 'end'), failed])
    const codes = Buffer.concat(received)
      .toString()
      .match(/(?<=HTTP\/1\.1 )\d+/g)
    expect(codes).toEqual([String(code), '404'])
  })
})
