import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { webhookDoor } from './webhook-door.ts'

test('a delivery whose body does not come is cut', { timeout: 60_000 }, async () => {
  const door = webhookDoor({ secrets: { find: () => undefined } })
  const taken: boolean[] = []
  const server = createServer((given, response) => {
    taken.push(door(given, response, () => response.end()))
  })
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
  const began = performance.now()
  sent.on('error', () => undefined)
  sent.write('{')
  await new Promise<void>((resolve) => sent.once('close', () => resolve()))
  expect(taken).toEqual([true])
  expect(performance.now() - began).toBeGreaterThan(5000)
  expect(performance.now() - began).toBeLessThan(40_000)
  server.close()
})
