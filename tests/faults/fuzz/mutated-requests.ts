import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { corpus, ground, ordinary } from './corpus.ts'
import { isForeseen } from './foreseen.ts'
import { mutate } from './mutate.ts'
import { Random } from './random.ts'
import { RawConnection } from './raw-connection.ts'
import { describeRequest, isEndless, type RawRequest, wireBytes } from './raw-request.ts'

const connections = 8
/** The objects are recreated after this many requests, since many requests delete. */
const groundEvery = 500
const seed = 20_301_115

/** Sends mutated requests over raw connections; the server must answer each of them and keep its memory. */
export function testMutatedRequests(requests: number): void {
  let server: EmbeddedServer

  beforeAll(async () => {
    const probe = join(import.meta.dirname, 'memory-probe.mjs')
    server = await startEmbeddedServer({ nodeFlags: ['--expose-gc', '--import', probe] })
  })

  afterAll(() => server.stop())

  test(`answers ${requests} mutated requests without an internal error`, async () => {
    const faults: string[] = []
    const codes = new Map<string, number>()
    let next = 0
    let halfway = 0
    const work = async (): Promise<void> => {
      const line = new Line(server)
      while (next < requests && faults.length < 20) {
        const n = next++
        if (n % groundEvery === 0) for (const request of ground) await line.send(request)
        if (n === requests / 2) halfway = await livingBytes(server)
        const request = requestOf(n)
        const outcome = await line.send(request)
        codes.set(outcome.code, (codes.get(outcome.code) ?? 0) + 1)
        if (outcome.fault)
          faults.push(`request ${n}: ${outcome.fault}\n${describeRequest(request)}`)
      }
      line.close()
    }
    await Promise.all(Array.from({ length: connections }, work))

    expect(faults).toEqual([])
    expect(server.program.exited()).toBeUndefined()
    expect(await server.log()).not.toMatch(/request failed|unhandled|uncaught/i)
    // Many requests must pass the first checks, or the rest of the server was not tested.
    expect(codes.get('200') ?? 0).toBeGreaterThan(requests / 10)
    expect(codes.get('422') ?? 0).toBeGreaterThan(requests / 100)
    expect((await livingBytes(server)) - halfway).toBeLessThan(50e6)
    const line = new Line(server)
    expect((await line.send(ordinary)).code).toBe('200')
    line.close()
  })
}

/** Deterministic by number, so that a single request can be examined alone. */
function requestOf(n: number): RawRequest {
  const random = new Random(seed + n)
  return mutate(random.pick(corpus), random)
}

interface Outcome {
  readonly code: string
  readonly fault?: string
}

/** Sends requests one at a time, on a new connection if the server closed the last one. */
class Line {
  readonly #server: EmbeddedServer
  #connection: RawConnection | undefined

  constructor(target: EmbeddedServer) {
    this.#server = target
  }

  async send(request: RawRequest): Promise<Outcome> {
    const { url, adminToken } = this.#server
    this.#connection ??= await RawConnection.open(this.#server)
    const bytes = wireBytes(request, new URL(url).host, adminToken)
    const length = request.method === 'HEAD' ? 'head' : isEndless(request) ? 'endless' : 'whole'
    const patience = isIncomplete(request) ? 200 : 90_000
    const reply = await this.#connection.exchange(bytes, length, patience)
    if (typeof reply === 'string') {
      this.close()
      const mayBeSilent = reply === 'closed' || isIncomplete(request)
      return mayBeSilent ? { code: reply } : { code: reply, fault: 'was not answered' }
    }
    // The rest of an endless response or of an unread body must not be taken for the next response.
    if (!reply.reusable || length !== 'whole' || isIncomplete(request)) this.close()
    const isFault = reply.status >= 500 && !isForeseen(request, reply)
    return {
      code: String(reply.status),
      ...(isFault ? { fault: `was answered with ${reply.status}: ${reply.body}` } : {}),
    }
  }

  close(): void {
    this.#connection?.close()
    this.#connection = undefined
  }
}

/** Whether the server rightly waits for the rest of the request. */
function isIncomplete({ headers, method }: RawRequest): boolean {
  return (
    method === 'CONNECT' ||
    headers.some(([name]) =>
      ['Content-Length', 'Transfer-Encoding', 'Upgrade', 'Expect'].includes(name),
    )
  )
}

/** The memory that the server retains after garbage collection. */
async function livingBytes(server: EmbeddedServer): Promise<number> {
  process.kill(server.program.pid, 'SIGUSR2')
  for (;;) {
    await sleep(50)
    const found = [...(await server.log()).matchAll(/^living bytes (\d+)$/gm)]
    if (found.length > asked) {
      asked = found.length
      return Number(found.at(-1)?.[1])
    }
  }
}

let asked = 0
