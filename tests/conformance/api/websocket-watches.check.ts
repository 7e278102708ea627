import { randomBytes } from 'node:crypto'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Json } from '@agents/crd'
import { afterAll, beforeAll } from 'vitest'
import type { Answer } from './client.ts'
import { conformance } from './suite.ts'

conformance('websocket-watches', ({ client, subject, namespace, same }) => {
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const sockets: TLSSocket[] = []
  const selected = `${maps}?watch=1&fieldSelector=metadata.name%3Da&resourceVersion=0`

  beforeAll(async () => {
    await client.send('POST', maps, { metadata: { name: 'a' }, data: { a: '1' } })
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
  })

  /** Sends the handshake, and reads the head of the answer and `count` messages. */
  const open = async (
    path: string,
    headers: Record<string, string>,
    count = 0,
  ): Promise<Answer> => {
    const { hostname, port, host } = new URL(subject.url)
    const socket = connectTls({ host: hostname, port: Number(port), ca: subject.caPem })
    sockets.push(socket)
    const all: Record<string, string> = {
      host,
      authorization: `Bearer ${subject.adminToken}`,
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    let received = Buffer.alloc(0)
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer])
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) continue
      const head = received.subarray(0, end).toString()
      const code = Number(head.split(' ')[1])
      const messages = code === 101 ? textMessages(received.subarray(end + 4)) : []
      if (code === 101 && messages.length < count) continue
      socket.destroy()
      const protocol = /sec-websocket-protocol: (.*)/i.exec(head)?.[1]?.trim() ?? null
      return { code, headers: {}, text: '', body: { protocol, messages } }
    }
    throw new Error(`the connection closed after ${received.toString()}`)
  }
  const origin = { origin: 'http://localhost' }

  same('sends each event as a message', 101, () => open(selected, origin, 1))
  same('of all changes', 101, async () => {
    const opened = open(`${maps}?watch=true&labelSelector=x%3Dy`, origin, 1)
    const poke = setInterval(() => {
      void client.send('POST', maps, { metadata: { generateName: 'b-', labels: { x: 'y' } } })
    }, 200)
    const answer = await opened
    clearInterval(poke)
    const [first] = (answer.body as { messages: { type: string }[] }).messages
    return { ...answer, body: first?.type ?? null }
  })
  same('accepts a subprotocol', 101, () =>
    open(selected, { ...origin, 'sec-websocket-protocol': 'one.example.dev' }, 1),
  )
  same('without an origin', 403, () => open(selected, {}))
  same('with a bad version', 400, () => open(selected, { ...origin, 'sec-websocket-version': '1' }))
  same('without permission', 403, () =>
    open(selected, { ...origin, authorization: 'Bearer nobody-token' }),
  )
  same('that is not a watch is answered as usual', 200, async () => {
    const { code } = await open(`${maps}/a`, origin)
    return { code, headers: {}, text: '', body: null }
  })
})

/** The whole text messages at the start of the bytes. The server does not mask them. */
function textMessages(bytes: Buffer): Json[] {
  const messages: Json[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const [opcode = 0, short = 0] = bytes.subarray(at)
    const size = short < 126 ? 0 : short === 126 ? 2 : 8
    if (at + 2 + size > bytes.length) break
    const length =
      size === 0
        ? short
        : size === 2
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2))
    const end = at + 2 + size + length
    if (end > bytes.length) break
    const text = bytes.subarray(at + 2 + size, end).toString()
    if ((opcode & 0x0f) === 1) messages.push(JSON.parse(text) as Json)
    at = end
  }
  return messages
}
