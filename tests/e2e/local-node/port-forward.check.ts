import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../support/testbed/free-port.ts'
import { type Kubectl, type KubectlVersion, kubectlFor } from './kubectl.ts'
import { inDefault, type Platform, podOf, startPlatform, untilObject } from './platform.ts'

const ways: readonly { version: KubectlVersion; spdy: boolean; protocol: string }[] = [
  { version: '1.32', spdy: false, protocol: 'WebSocket' },
  { version: '1.32', spdy: true, protocol: 'SPDY' },
  { version: '1.36', spdy: false, protocol: 'WebSocket' },
  { version: '1.36', spdy: true, protocol: 'SPDY' },
]

let platform: Platform
let kubectl: Kubectl
let remove: () => Promise<void>
let ownPort: number
let otherPort: number
beforeAll(async () => {
  platform = await startPlatform({ mounts: 'paths' })
  ;({ kubectl, remove } = await kubectlFor(platform.server))
  ownPort = await freePort()
  otherPort = await freePort()
  await Promise.all([startEcho('echoes', ownPort), startEcho('neighbour', otherPort)])
})
afterAll(async () => {
  await platform.stop()
  await remove()
})

/** A pod whose process answers every line with its name, and closes when its client does. */
async function startEcho(name: string, port: number, listen = `${port}, '127.0.0.1'`) {
  const program = `require('node:net').createServer({ allowHalfOpen: true }, (s) => {
    s.on('error', () => {}); s.write('${name}:'); s.pipe(s)
  }).listen(${listen}, () => console.log('listening'))`
  const command = [process.execPath, '-e', program]
  const containers = [{ name: 'main', image: 'local', command }]
  await platform.client.create(PodKind, podOf({ name, containers }))
  await untilObject(
    platform.client,
    PodKind,
    inDefault(name),
    ({ status }) => status?.phase === 'Running',
  )
  const log = await platform.client.podLog(inDefault(name), { follow: true })
  for await (const line of log.lines()) if (line === 'listening') break
  log.close()
}

/** What a client reads through a forwarded port, and what kubectl reports. */
async function forwarded(
  pod: string,
  port: number,
  send: string,
  way: { version?: KubectlVersion; spdy?: boolean } = {},
): Promise<{ received: string; stderr: string }> {
  const stop = new AbortController()
  const local = Promise.withResolvers<number>()
  const failed = Promise.withResolvers<void>()
  let output = ''
  const running = kubectl(['port-forward', `pod/${pod}`, `:${port}`], {
    ...way,
    signal: stop.signal,
    onStdout: (text) => {
      output += text
      const [, found] = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(output) ?? []
      if (found !== undefined) local.resolve(Number(found))
    },
    onStderr: () => failed.resolve(),
  })
  void running.then(({ stderr }) => local.reject(new Error(`kubectl ended: ${stderr}`)))
  const received = await exchange(await local.promise, send)
  // The message about a refused connection may arrive after the connection has closed.
  if (received === '') await failed.promise
  stop.abort()
  const { stderr } = await running
  return { received, stderr }
}

async function exchange(port: number, send: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.end(send)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'close')
  return received
}

test.each(ways)('kubectl $version forwards a port over $protocol', async ({ version, spdy }) => {
  const text = 'z'.repeat(400_000)
  const { received } = await forwarded('echoes', ownPort, text, { version, spdy })
  expect(received.length).toBe(text.length + 'echoes:'.length)
  expect(received).toBe(`echoes:${text}`)
})

describe('a user who may forward ports of one pod', () => {
  async function foreignServer(port: number, host: string): Promise<Server> {
    const server = createServer((socket) => socket.end('secret of the platform'))
    server.listen(port, host)
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return server
  }

  test('does not reach servers of the machine', async () => {
    const port = await freePort()
    await foreignServer(port, '127.0.0.1')
    const { received, stderr } = await forwarded('echoes', port, 'x')
    expect(received).toBe('')
    expect(stderr).toContain(`no process of the pod listens on port ${port}`)
  })

  test('does not reach the API server', async () => {
    const { received } = await forwarded('echoes', platform.server.port, 'GET / HTTP/1.1\r\n\r\n')
    expect(received).toBe('')
  })

  test('does not reach other pods', async () => {
    expect((await forwarded('neighbour', otherPort, 'x')).received).toBe('neighbour:x')
    expect((await forwarded('echoes', otherPort, 'x')).received).toBe('')
  })

  test.each([
    {
      because: 'at another address',
      name: 'squats-v4',
      listen: `'127.0.0.2'`,
      expected: 'squats-v4:x',
    },
    {
      because: 'with another version of IP',
      name: 'squats-v6',
      listen: `{ host: '::', ipv6Only: true }`,
      expected: '',
    },
  ])(
    'does not reach a server whose port the pod has $because',
    async ({ name, listen, expected }) => {
      const port = await freePort()
      await foreignServer(port, '127.0.0.1')
      const own = listen.startsWith('{')
        ? listen.replace('{', `{ port: ${port},`)
        : `${port}, ${listen}`
      await startEcho(name, port, own)
      const { received } = await forwarded(name, port, 'x')
      expect(received).not.toContain('secret')
      if (expected !== '') expect(received).toBe(expected)
    },
  )
})
