import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect as connectTo, createServer, type Socket } from 'node:net'
import { constants, createDeflate } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { spdyDictionary } from './dictionary.ts'
import { controlFrame, dataFrame, frameTypes, numbers, SpdyReader } from './frames.ts'
import { SpdyConnection } from './spdy-connection.ts'
import type { SpdyStream } from './spdy-stream.ts'

/** A server with one connection, and the client's end of it. */
async function open(mostStreams = 4) {
  const streams: SpdyStream[] = []
  const accepted = Promise.withResolvers<{ connection: SpdyConnection; socket: Socket }>()
  const server = createServer((socket) => {
    const connection = new SpdyConnection(socket, {
      mostStreams,
      onStream: (stream) => void streams.push(stream),
    })
    accepted.resolve({ connection, socket })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connectTo((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  const frames: { type: number; payload: Buffer }[] = []
  const reader = new SpdyReader()
  client.on('data', (chunk: Buffer) => {
    for (const part of reader.read(chunk)) if (part.kind === 'control') frames.push(part)
  })
  return { client, streams, frames, ...(await accepted.promise) }
}

/** Compresses header blocks as one zlib stream, like a client. */
function headerWriter() {
  const deflate = createDeflate({ dictionary: spdyDictionary, flush: constants.Z_SYNC_FLUSH })
  return async (content: Buffer): Promise<Buffer> => {
    const pieces: Buffer[] = []
    const collect = (piece: Buffer): void => void pieces.push(piece)
    deflate.on('data', collect)
    await new Promise<void>((resolve) => deflate.write(content, () => resolve()))
    deflate.off('data', collect)
    return Buffer.concat(pieces)
  }
}

function headers(...entries: readonly (readonly [string, string])[]): Buffer {
  const texts = entries.flat().flatMap((text) => [numbers(text.length), Buffer.from(text)])
  return Buffer.concat([numbers(entries.length), ...texts])
}

function synStream(id: number, block: Buffer): Buffer {
  const fixed = Buffer.concat([numbers(id, 0), Buffer.from([0, 0])])
  return controlFrame(frameTypes.synStream, 0, Buffer.concat([fixed, block]))
}

test('a stream carries bytes in both directions until both sides have ended', async () => {
  const { client, streams, frames } = await open()
  const compress = headerWriter()
  client.write(synStream(1, await compress(headers(['streamtype', 'data'], ['port', '80']))))
  client.write(synStream(3, await compress(headers(['streamtype', 'error'], ['port', '80']))))
  await expect.poll(() => streams.length).toBe(2)
  expect(streams.map(({ headers: own }) => own.get('streamtype'))).toEqual(['data', 'error'])
  client.write(dataFrame(1, Buffer.from('hello'), true))
  const [stream] = streams
  const received: Buffer[] = []
  for await (const piece of stream ?? []) received.push(piece as Buffer)
  expect(Buffer.concat(received).toString()).toBe('hello')
  expect(frames.filter(({ type }) => type === frameTypes.synReply)).toHaveLength(2)
})

describe('the connection is closed for', () => {
  test.each([
    {
      because: 'headers that expand to far more than they are',
      bytes: async () => synStream(1, await headerWriter()(Buffer.alloc(16 * 1024 * 1024))),
    },
    {
      because: 'a control frame without end',
      bytes: async () => {
        const frame = controlFrame(frameTypes.synStream, 0, Buffer.alloc(0))
        frame.writeUIntBE(0xffffff, 5, 3)
        return frame
      },
    },
    {
      because: 'headers that are not compressed',
      bytes: async () => synStream(1, Buffer.from('not zlib at all')),
    },
    {
      because: 'too many headers',
      bytes: async () => synStream(1, await headerWriter()(numbers(0xffffffff))),
    },
    {
      because: 'a stream number of the server',
      bytes: async () => synStream(2, await headerWriter()(headers())),
    },
    {
      because: 'a control frame that is too short',
      bytes: async () => controlFrame(frameTypes.rstStream, 0, numbers(1)),
    },
    { because: 'another version', bytes: async () => Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0]) },
  ])('$because', async ({ bytes }) => {
    const { client, connection, streams } = await open()
    client.write(await bytes())
    await connection.closed
    expect(streams).toEqual([])
  })
})

test('streams above the limit are refused, and the others continue', async () => {
  const { client, streams, frames } = await open(2)
  const compress = headerWriter()
  for (const id of [1, 3, 5, 7]) client.write(synStream(id, await compress(headers())))
  await expect.poll(() => frames.filter(({ type }) => type === frameTypes.rstStream).length).toBe(2)
  expect(streams.map(({ id }) => id)).toEqual([1, 3])
})

test('a stream that nobody reads stops its client', async () => {
  const { client, streams } = await open()
  client.write(synStream(1, await headerWriter()(headers())))
  await expect.poll(() => streams.length).toBe(1)
  const frame = dataFrame(1, Buffer.alloc(64 * 1024), false)
  let sent = 0
  while (sent < 64 * 1024 * 1024 && client.write(frame)) sent += frame.length
  const [stream] = streams
  await expect.poll(() => stream?.readableLength ?? 0).toBeGreaterThan(0)
  expect(stream?.readableLength).toBeLessThan(1024 * 1024)
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

test('a client that does not read stops the writer', async () => {
  const { client, streams, socket } = await open()
  client.write(synStream(1, await headerWriter()(headers())))
  await expect.poll(() => streams.length).toBe(1)
  client.pause()
  const [stream] = streams
  let written = 0
  while (written < 256 * 1024 * 1024 && stream?.write(Buffer.alloc(64 * 1024)) === true) {
    written += 64 * 1024
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(written).toBeLessThan(256 * 1024 * 1024)
  expect(socket.writableLength).toBeLessThan(1024 * 1024)
})

test('arbitrary bytes never do more than close the connection', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }),
      async (chunks) => {
        const reader = new SpdyReader()
        try {
          for (const chunk of chunks) for (const _ of reader.read(Buffer.from(chunk)));
        } catch (error) {
          expect((error as Error).name).toBe('ProtocolError')
        }
      },
    ),
    { numRuns: 300 },
  )
})
