import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendAnswer } from './send-answer.ts'
import { UnreadAnswers } from './unread-answers.ts'

/** More than the system takes for a client. */
const size = 30_000_000
const pollOptions = { timeout: 20_000 }

/** Answers each request with `size` bytes, and keeps at most `most`. */
async function listen(most: number) {
  const unread = new UnreadAnswers(most)
  const asked: ServerResponse[] = []
  const server = createServer((request, response) => {
    asked.push(response)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const answer = { bytes: Buffer.alloc(size, 'x'), contentType: 'text/plain' }
    // A cut answer fails, as it does in the app.
    sendAnswer(request, response, answer, { signal: gone.signal, unread }).catch(() => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let read = 0
    let pauseAt = Number.POSITIVE_INFINITY
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      read += chunk.length
      if (read >= pauseAt) socket.pause()
    })
    socket.pause()
    const count = asked.length
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await expect.poll(() => asked[count], pollOptions).toBeDefined()
    const answer = asked[count] as ServerResponse
    await expect.poll(() => answer.writableNeedDrain, pollOptions).toBe(true)
    const readUntil = async (bytes: number) => {
      pauseAt = bytes
      socket.resume()
      await expect.poll(() => read, pollOptions).toBeGreaterThanOrEqual(bytes)
    }
    return { answer, readUntil }
  }
}

test('beyond the limit, the answer that nobody has read for the longest time is cut', async () => {
  const ask = await listen(2.5 * size)
  const [first, second, third] = [await ask(), await ask(), await ask()]
  await expect.poll(() => first.answer.destroyed, pollOptions).toBe(true)
  for (const each of [second, third]) {
    await each.readUntil(size)
    await expect.poll(() => each.answer.writableFinished, pollOptions).toBe(true)
  }
})

test('an answer that is read slowly outlives one that is not read', async () => {
  const ask = await listen(2.5 * size)
  const [slow, unread] = [await ask(), await ask()]
  await slow.readUntil(size / 10)
  await ask()
  await expect.poll(() => unread.answer.destroyed, pollOptions).toBe(true)
  await slow.readUntil(size)
})

test('an answer that has been read makes room, and the only one may be larger than all room', async () => {
  const ask = await listen(1.5 * size)
  const first = await ask()
  await first.readUntil(size)
  await expect.poll(() => first.answer.writableFinished, pollOptions).toBe(true)
  const second = await ask()
  expect(second.answer.destroyed).toBe(false)

  const askSmall = await listen(size / 2)
  const only = await askSmall()
  await only.readUntil(size)
})
