import { Agent, request } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { isFull } from '../../support/tier.ts'
import { ground } from '../fuzz/corpus.ts'
import { Random } from '../fuzz/random.ts'
import { targetOf } from '../fuzz/raw-request.ts'
import { type LoopReading, probeFlags, readLoopProbe } from '../fuzz/read-loop-probe.ts'
import { largeRequest } from './large-bodies.ts'
import type { LargeRequest } from './large-request.ts'

/** The gate does not measure: it sees that the server refuses what has too many bytes or values, and answers all. */
const longestBlockMs = isFull ? 100 : Number.POSITIVE_INFINITY
const mostBytes = isFull ? 512 * 1024 * 1024 : Number.POSITIVE_INFINITY
/** The objects are reset, and created ones deleted, after this many requests. */
const groundEvery = 200
/**
 * How often a block is measured again before it counts. A body that blocks does so each time; time that the host of
 * this machine takes away is charged to the process as well, but not each time.
 */
const repetitions = 3
const seed = 20_301_116

/** Sends large bodies of every type and measures how long each one blocks the event loop for other requests. */
export function testBoundedWork(bodies: number, { largestEvery }: { largestEvery: number }): void {
  let server: EmbeddedServer
  const agent = new Agent({ keepAlive: true })

  const send = ({ method, target, type, body }: LargeRequest) =>
    new Promise<number | string>((resolve) => {
      const { hostname, port } = new URL(server.url)
      const headers = {
        authorization: `Bearer ${server.adminToken}`,
        ...(body.length === 0 ? {} : { 'content-type': type, 'content-length': body.length }),
      }
      const options = { agent, hostname, port, path: target, method, headers, ca: server.caPem }
      const sent = request(options, (answer) => {
        let start = ''
        answer.setEncoding('latin1')
        answer.on('error', (error) => resolve(error.message))
        answer.on('data', (text: string) => {
          if (start.length < 1000) start += text
        })
        answer.on('end', () => resolve(codeOf(answer.statusCode ?? 0, start)))
      })
      sent.on('error', (error) => resolve(error.message))
      sent.end(body)
    })

  const layGround = async (): Promise<void> => {
    const type = 'application/json'
    for (const path of ['api/v1', 'apis/fuzz.example.dev/v1']) {
      const plural = path === 'api/v1' ? 'configmaps' : 'widgets'
      const target = `/${path}/namespaces/fuzz/${plural}`
      const body = Buffer.alloc(0)
      // Removes finalizers first, so that the objects can be deleted.
      for (const name of ['settings', 'first']) {
        const patch = Buffer.from('{"metadata":{"finalizers":null}}')
        const merge = 'application/merge-patch+json'
        await send({ method: 'PATCH', target: `${target}/${name}`, type: merge, body: patch })
      }
      await send({ method: 'DELETE', target, type, body })
    }
    for (const one of ground) {
      const body = one.body ?? Buffer.alloc(0)
      await send({ method: one.method, target: targetOf(one), type, body })
    }
  }

  beforeAll(async () => {
    server = await startEmbeddedServer({ nodeFlags: probeFlags, flags: ['--history-events=500'] })
    await layGround()
  })

  afterAll(async () => {
    agent.destroy()
    await server.stop()
  })

  test(`no body of ${bodies} blocks the event loop for long, and each is answered`, async () => {
    const faults: string[] = []
    const codes = new Map<number | string, number>()
    let worst: LoopReading = { longestMs: 0, peakBytes: 0 }
    const requestAt = (n: number): LargeRequest =>
      largeRequest(new Random(seed + n), n % largestEvery === 0 ? 'largest' : 'usual')
    /** Measures `act`; a block counts if it occurs each time that the requests from `first` to `end` precede `act`. */
    const measure = async (first: number, end: number, act: () => Promise<unknown>) => {
      await act()
      const reading = await readLoopProbe(server)
      let { longestMs } = reading
      for (let again = 0; longestMs > longestBlockMs && again < repetitions; again++) {
        await layGround()
        for (let n = first; n < end; n++) {
          // What the server does after its answer to the request before counts too.
          if (n === end - 1) await readLoopProbe(server)
          await send(requestAt(n))
        }
        if (first === end) await readLoopProbe(server)
        await act()
        longestMs = Math.min(longestMs, (await readLoopProbe(server)).longestMs)
      }
      return { ...reading, longestMs }
    }
    const note = ({ longestMs, peakBytes }: LoopReading, what: string): void => {
      worst = {
        longestMs: Math.max(worst.longestMs, longestMs),
        peakBytes: Math.max(worst.peakBytes, peakBytes),
      }
      if (longestMs > longestBlockMs) faults.push(`${longestMs} ms: ${what}`)
      if (peakBytes > mostBytes) faults.push(`${peakBytes} bytes: ${what}`)
    }
    await readLoopProbe(server)
    for (let n = 0; n < bodies && faults.length < 20; n++) {
      if (firstAfterReset(n) === n && n > 0) {
        const reading = await measure(firstAfterReset(n - 1), n, layGround)
        note(reading, 'deleting what was created')
      }
      const one = requestAt(n)
      const what = describe(n, one)
      let code: number | string | undefined
      const sendOne = async (): Promise<void> => {
        const answer = await send(one)
        code ??= answer
      }
      note(await measure(firstAfterReset(n), n, sendOne), what)
      if (code === undefined) throw new Error('the request was not sent')
      codes.set(code, (codes.get(code) ?? 0) + 1)
      if (typeof code === 'string' || (code >= 500 && !isForeseen(code, one))) {
        faults.push(`answered with ${code}: ${what}`)
      }
    }
    const figures = JSON.stringify({ ...worst, codes: Object.fromEntries(codes) })
    process.stdout.write(`bounded work: ${figures}\n`)
    expect(faults).toEqual([])
    expect(server.program.exited()).toBeUndefined()
    expect(await server.log()).not.toMatch(/request failed|unhandled|uncaught/i)
    // Every outcome must have occurred: accepted, rejected for the content, rejected for the size.
    for (const code of [200, 201, 400, 413, 422]) expect(codes.get(code) ?? 0).toBeGreaterThan(0)
  })
}

/** kube-apiserver, too, answers with 500 if the object is too large for etcd. It counts as rejected for its size. */
function codeOf(code: number, text: string): number {
  return code === 500 && text.includes('etcdserver: request is too large') ? 413 : code
}

/** The first request after the reset that precedes request `n`. */
function firstAfterReset(n: number): number {
  return n - (n % groundEvery)
}

/** kube-apiserver returns the same status: see `foreseen.ts`. */
function isForeseen(code: number, { method }: LargeRequest): boolean {
  return code === 500 && method === 'PATCH'
}

function describe(n: number, { method, target, type, body }: LargeRequest): string {
  const start = body.toString('latin1', 0, 200)
  return `request ${n}: ${method} ${target.slice(0, 120)} ${type}, ${body.length} bytes: ${start}`
}
