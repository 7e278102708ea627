/**
 * Measures the intake of webhooks: the CPU time of a wrong signature, and how many deliveries a second are on disk and
 * acknowledged. The receiver has its own process; the client shares the machine with it.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { isProven, readClaim } from '../../services/jangar/src/server/inbox/delivery/signature.ts'

const secret = 'a-secret-of-thirty-two-characters'
const path = '/api/agents/implementation-sources/webhooks/github/red/issues'
const goals = { microsPerForgery: 50, perSecond: 1000 }

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      forged: { type: 'string', default: '100000' },
      deliveries: { type: 'string', default: '10000' },
      /** Size of the text of an issue. */
      bytes: { type: 'string', default: '4096' },
      connections: { type: 'string', default: '32' },
    },
  })
  const [bytes, connections] = [Number(values.bytes), Number(values.connections)]
  const folder = await mkdtemp(join(tmpdir(), 'agents-webhooks-'))
  const postgres = await startPostgres({ directory: folder, log: silentLogger })
  const receiver = fork(join(import.meta.dirname, 'webhooks', 'receiver.ts'), [
    postgres.url,
    secret,
  ])
  try {
    const [{ port }] = (await once(receiver, 'message')) as [{ port: number }]
    const send = (requests: readonly Buffer[]) => sendAll(port, requests, connections)
    await send(Array.from({ length: 2000 }, (_, at) => request(at, bytes, 'another-secret-here')))
    verification(bytes)
    await forgeries(receiver, Number(values.forged), bytes, send)
    await acknowledged(Number(values.deliveries), bytes, send)
  } finally {
    receiver.disconnect()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function verification(bytes: number): void {
  const count = 20_000
  const body = Buffer.from(payload(1, bytes))
  const claim = readClaim('github', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })
  if (claim === undefined) throw new Error('the header cannot be read')
  const before = process.cpuUsage()
  for (let at = 0; at < count; at++) isProven(claim, body, [Buffer.from(secret)])
  const { user, system } = process.cpuUsage(before)
  console.log(`verification alone     ${((user + system) / count).toFixed(1)} µs CPU`)
}

async function forgeries(
  receiver: ChildProcess,
  count: number,
  bytes: number,
  send: (requests: readonly Buffer[]) => Promise<Readonly<Record<string, number>>>,
): Promise<void> {
  const block = Array.from({ length: 1000 }, (_, at) => request(at, bytes, 'another-secret-here'))
  const before = await usage(receiver)
  const answers: Record<string, number> = {}
  for (let sent = 0; sent < count; sent += block.length) {
    for (const [status, times] of Object.entries(await send(block))) {
      answers[status] = (answers[status] ?? 0) + times
    }
  }
  const after = await usage(receiver)
  const micros = (after.cpuMicros - before.cpuMicros) / count
  const verdict = micros <= goals.microsPerForgery ? 'met' : 'MISSED'
  console.log(`wrong signatures       ${JSON.stringify(answers)}`)
  console.log(
    `  whole request        ${micros.toFixed(1)} µs CPU (goal ${goals.microsPerForgery}: ${verdict})`,
  )
  console.log(`  reads of Secrets     ${after.reads - before.reads} (every 30 s, not per request)`)
  console.log(`  database queries     ${after.queries - before.queries}`)
  if (after.queries > before.queries) throw new Error('wrong signatures reach the database')
}

async function acknowledged(
  count: number,
  bytes: number,
  send: (requests: readonly Buffer[]) => Promise<Readonly<Record<string, number>>>,
): Promise<void> {
  const requests = Array.from({ length: count }, (_, at) => request(at, bytes, secret))
  const began = performance.now()
  const answers = await send(requests)
  const rate = count / ((performance.now() - began) / 1000)
  const verdict = rate >= goals.perSecond ? 'met' : 'MISSED'
  console.log(`deliveries             ${JSON.stringify(answers)}`)
  console.log(`  acknowledged         ${rate.toFixed(0)}/s (goal ${goals.perSecond}: ${verdict})`)
}

interface Usage {
  readonly cpuMicros: number
  readonly reads: number
  readonly queries: number
}

async function usage(receiver: ChildProcess): Promise<Usage> {
  receiver.send('usage')
  const [found] = await once(receiver, 'message')
  return found as Usage
}

function payload(at: number, bytes: number): string {
  return JSON.stringify({
    action: 'edited',
    issue: {
      ...{ number: (at % 500) + 1, title: `Change ${at}`, body: 'x'.repeat(bytes), state: 'open' },
      ...{ labels: [], updated_at: '2026-11-17T08:00:00Z', html_url: 'https://git.test/o/r' },
    },
    repository: { full_name: 'o/r' },
  })
}

function request(at: number, bytes: number, by: string): Buffer {
  const body = payload(at, bytes)
  const signature = createHmac('sha256', by).update(body).digest('hex')
  return Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      'host: localhost',
      'content-type: application/json',
      'x-github-event: issues',
      `x-github-delivery: d-${at}`,
      `x-hub-signature-256: sha256=${signature}`,
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}

/** Sends each request when the one before it on the same connection is answered. Counts the answers by status. */
async function sendAll(
  port: number,
  requests: readonly Buffer[],
  connections: number,
): Promise<Readonly<Record<string, number>>> {
  const rest = requests.values()
  const counts: Record<string, number> = {}
  const one = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    let text = ''
    const done = Promise.withResolvers<void>()
    const next = (): void => {
      const { done: isOver, value } = rest.next()
      if (isOver) socket.end(() => done.resolve())
      else socket.write(value)
    }
    socket.on('error', done.reject)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const head = /^HTTP\/1\.1 (\d+).*?content-length: (\d+).*?\r\n\r\n/is.exec(text)
      if (head === null || text.length < head[0].length + Number(head[2])) return
      text = ''
      counts[head[1] ?? ''] = (counts[head[1] ?? ''] ?? 0) + 1
      next()
    })
    next()
    await done.promise
  }
  await Promise.all(Array.from({ length: connections }, one))
  return counts
}
