import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { type Memory, memory } from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAgents } from '../agents-kinds/agents-harness.ts'
import { agentsServer } from '../agents-kinds/agents-server.ts'

const memoryKind = kindRef<Memory>(memory)

async function listen(answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    answer(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('a Memory does not reveal other services of the network to its author', () => {
  const client = agentsServer()

  test('a closed port and one where another service answers look the same', {
    timeout: 60_000,
  }, async () => {
    const harness = await startAgents(client())
    const open = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const silent = await listen((socket) => socket.end())
    const messages: string[] = []
    for (const [name, port] of Object.entries({ closed: 1, open, silent })) {
      const { namespace } = harness
      const url = `redis://127.0.0.1:${port}`
      const metadata = { namespace, name }
      await harness.client.create(SecretKind, { metadata, stringData: { url } })
      const spec = { type: 'redis', connection: { secretRef: { name, key: 'url' } } }
      await harness.create(memoryKind, name, { spec })
      const message = await harness.waitForCondition(memoryKind, name, 'Ready', 'Unreachable')
      messages.push(message.replaceAll(name, 'X'))
    }
    expect(new Set(messages).size).toBe(1)
    expect(harness.words.join('')).toContain('ECONNREFUSED')
  })
})
