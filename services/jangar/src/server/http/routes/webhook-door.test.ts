import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { webhookDoor } from './webhook-door.ts'

test('a delivery whose body does not come is cut after ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const door = webhookDoor({ secrets: { find: () => undefined } })
  const taken: boolean[] = []
  let isCut = false
  const server = createServer((given, response) => {
    given.once('close', () => {
      isCut = true
    })
    taken.push(door(given, response, () => response.end()))
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sent = request({
    ...{ host: '127.0.0.1', port, method: 'POST', agent: false },
    path: '/api/agents/implementation-sources/webhooks/gitea/red/issues',
    headers: {
      ...{ 'content-type': 'application/json', 'content-length': '1000' },
      'x-gitea-signature': 'a'.repeat(64),
    },
  })
  const closed = new Promise<void>((resolve) => sent.once('close', () => resolve()))
  sent.on('error', () => undefined)
  sent.write('{')
  // The timer of the door is the only one.
  while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(taken).toEqual([true])
  await vi.advanceTimersByTimeAsync(9_999)
  expect(isCut).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await closed
  expect(isCut).toBe(true)
})
