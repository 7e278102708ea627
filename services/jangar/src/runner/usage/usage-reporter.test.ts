import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger, silentLogger } from '@agents/log'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Usage } from '../../run-contract/usage.ts'
import { usageIntervalSeconds } from '../../run-contract/usage-report.ts'
import { startUsageReporter } from './usage-reporter.ts'

describe('reports of usage', () => {
  let folder = ''
  let server: Server
  let received: { path: string; authorization: string | undefined; body: Usage }[] = []
  let answer: (response: ServerResponse) => void
  let usage: Usage | undefined
  const lines: string[] = []
  /** How often the usage was read, and how long each wait was. */
  let samples = 0
  const pauses: number[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-usage-'))
    await writeFile(join(folder, 'token'), 'the-token\n')
    received = []
    lines.length = 0
    samples = 0
    pauses.length = 0
    usage = undefined
    answer = (response) => response.end('{"reportAfterSeconds":10}')
    server = createServer(async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      const { authorization } = request.headers
      const body = JSON.parse(Buffer.concat(pieces).toString())
      received.push({ path: request.url ?? '', authorization, body })
      answer(response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true, force: true })
  })

  function start(intervalMs = 20): () => Promise<void> {
    const { port } = server.address() as AddressInfo
    const end = startUsageReporter({
      target: { url: `http://127.0.0.1:${port}`, folder },
      sample: async () => {
        samples += 1
        return usage
      },
      log: createLogger({ sink: { write: (line) => lines.push(line) } }),
      intervalMs,
      // Beyond what a test waits for.
      requestMs: 600_000,
      pause: async (ms, signal) => {
        pauses.push(ms)
        await sleep(ms, undefined, { signal }).catch(() => undefined)
      },
    })
    onTestFinished(end)
    return end
  }
  /** Waits until the usage was read so many times more. */
  async function reads(count: number): Promise<void> {
    const before = samples
    await expect.poll(() => samples).toBeGreaterThanOrEqual(before + count)
  }
  const bodies = () => received.map(({ body }) => body)
  const refuse = (status: number) => (response: ServerResponse) => {
    response.writeHead(status).end('{"error":"because"}')
  }

  test('are sent with the token of the pod, and only when something has changed', async () => {
    start()
    await reads(4)
    expect(received).toEqual([])
    usage = { inputTokens: 5 }
    await expect.poll(() => received.length).toBe(1)
    await reads(4)
    usage = { inputTokens: 9 }
    await expect.poll(() => received.length).toBe(2)
    expect(received[0]).toMatchObject({ path: '/v1/usage', authorization: 'Bearer the-token' })
    expect(bodies()).toEqual([{ inputTokens: 5 }, { inputTokens: 9 }])
  })

  test('of a program that ends before the first one is due are not sent', async () => {
    usage = { inputTokens: 5 }
    await start(60_000)()
    expect(received).toEqual([])
  })

  test('are sent less often if the control plane asks for it', async () => {
    answer = (response) => response.end('{"reportAfterSeconds":600}')
    usage = { inputTokens: 1 }
    start()
    await expect.poll(() => pauses).toEqual([20, (600 / usageIntervalSeconds) * 20])
    expect(received).toHaveLength(1)
  })

  test.each([429, 503, 500, 409])('are sent again after status %i', async (status) => {
    answer = refuse(status)
    usage = { inputTokens: 1 }
    start()
    await expect.poll(() => received.length).toBeGreaterThan(1)
    answer = (response) => response.end('{}')
    const before = received.length
    await expect.poll(() => received.length).toBe(before + 1)
    expect(lines).toEqual([])
  })

  test.each([
    { status: 404, logged: 0, because: 'the control plane does not know the path' },
    { status: 403, logged: 1, because: 'the pod is gone' },
    { status: 401, logged: 1, because: 'the token is not accepted' },
  ])('end with status $status: $because', async ({ status, logged }) => {
    answer = refuse(status)
    usage = { inputTokens: 1 }
    start()
    await expect.poll(() => received.length).toBe(1)
    usage = { inputTokens: 2 }
    // Another reporter, which has nothing to report, waits as long.
    const before = { pauses: pauses.length, samples }
    const { promise: hasWaited, resolve } = Promise.withResolvers<void>()
    let readsOfOther = 0
    const endOther = startUsageReporter({
      target: { url: 'http://127.0.0.1:1', folder },
      sample: async () => {
        readsOfOther += 1
        if (readsOfOther === 8) resolve()
        return undefined
      },
      log: silentLogger,
      intervalMs: 20,
    })
    await hasWaited.finally(endOther)
    expect({ pauses: pauses.length, samples }).toEqual(before)
    expect(received).toHaveLength(1)
    expect(lines).toHaveLength(logged)
    expect(lines.join('')).not.toContain('the-token')
  })

  test('name no models to a control plane that does not know them', async () => {
    const refuseFirst = refuse(400)
    answer = (...call) => (received.length === 1 ? refuseFirst(...call) : call[0].end('{}'))
    usage = { inputTokens: 1, models: [{ model: 'a', inputTokens: 1 }] }
    start()
    await expect.poll(() => received.length).toBe(2)
    expect(bodies()).toEqual([usage, { inputTokens: 1 }])
    expect(lines).toEqual([])
  })

  test('do not keep the program from ending when the control plane hangs', async () => {
    answer = () => undefined
    usage = { inputTokens: 1 }
    const end = start()
    await expect.poll(() => received.length).toBe(1)
    await end()
    expect(received).toHaveLength(1)
  })

  test('survive a control plane that is away for a while, and one that answers garbage', async () => {
    const { port } = server.address() as AddressInfo
    start()
    server.close()
    await once(server, 'close')
    usage = { inputTokens: 1 }
    await reads(4)
    answer = (response) => response.end('<html>')
    server.listen(port, '127.0.0.1')
    await expect.poll(bodies).toEqual([{ inputTokens: 1 }])
    expect(lines).toEqual([])
  })
})
