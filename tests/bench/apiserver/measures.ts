import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Connection } from '../../support/testbed/raw-http-connection.ts'
import { collection, definition, nameOf, statusPatch, widget } from './objects.ts'
import type { Subject } from './subject.ts'

const inFlight = 16

export async function prepare(subject: Subject): Promise<void> {
  const connection = await subject.connect()
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  expectStatus(await connection.send({ method: 'POST', path, body: definition }), 201)
  while ((await connection.send({ method: 'GET', path: collection })).status !== 200)
    await sleep(50)
  // The real server lists new kinds a moment before it accepts objects of them.
  await sleep(1_000)
  connection.close()
}

/** Operations per second. */
export async function rate(
  subject: Subject,
  calls: readonly Call[],
  wanted: number,
): Promise<number> {
  const connections = await Promise.all(Array.from({ length: inFlight }, () => subject.connect()))
  let next = 0
  const work = async (connection: Connection): Promise<void> => {
    for (;;) {
      const call = calls[next++]
      if (call === undefined) return
      expectStatus(await connection.send(call), wanted)
    }
  }
  const began = performance.now()
  await Promise.all(connections.map(work))
  const seconds = (performance.now() - began) / 1000
  for (const connection of connections) connection.close()
  return calls.length / seconds
}

export function creates(from: number, count: number): Call[] {
  return numbers(from, count).map((n) => ({ method: 'POST', path: collection, body: widget(n) }))
}

export function gets(from: number, count: number): Call[] {
  return numbers(from, count).map((n) => ({ method: 'GET', path: `${collection}/${nameOf(n)}` }))
}

export function statusPatches(from: number, count: number, round: number): Call[] {
  return numbers(from, count).map((n) => ({
    method: 'PATCH',
    path: `${collection}/${nameOf(n)}/status`,
    type: 'application/merge-patch+json',
    body: statusPatch(round),
  }))
}

export function applies(from: number, count: number, round: number): Call[] {
  return numbers(from, count).map((n) => ({
    method: 'PATCH',
    path: `${collection}/${nameOf(n)}?fieldManager=bench&force=true`,
    type: 'application/apply-patch+yaml',
    body: widget(n, round),
  }))
}

/** Duration of one list in milliseconds. */
export async function listMs(subject: Subject, limit: number, items: number): Promise<number> {
  const connection = await subject.connect()
  const began = performance.now()
  const reply = await connection.send({ method: 'GET', path: `${collection}?limit=${limit}` })
  const took = performance.now() - began
  expectStatus(reply, 200)
  const { items: listed } = JSON.parse(reply.body.toString()) as { items: unknown[] }
  if (listed.length !== items) throw new Error(`${listed.length} items were listed, not ${items}`)
  connection.close()
  return took
}

/** The longest wait of a small request while the whole collection is listed repeatedly. */
export async function longestWaitMs(subject: Subject, lists: number): Promise<number> {
  const [lister, asker] = await Promise.all([subject.connect(), subject.connect()])
  let done = false
  const listing = (async () => {
    for (let n = 0; n < lists; n++) {
      expectStatus(await lister.send({ method: 'GET', path: `${collection}?limit=0` }), 200)
    }
    done = true
  })()
  let longest = 0
  while (!done) {
    const began = performance.now()
    expectStatus(await asker.send({ method: 'GET', path: `${collection}/${nameOf(0)}` }), 200)
    longest = Math.max(longest, performance.now() - began)
    await sleep(2)
  }
  await listing
  lister.close()
  asker.close()
  return longest
}

/** Latency of each request in milliseconds. */
export interface Waits {
  readonly reads: number[]
  readonly writes: number[]
}

/** Three times the size to which the embedded store lets its log grow. */
const largeWrites = 800
const largeBytes = 64 * 1024

export async function waitsDuringCompaction(subject: Subject): Promise<Waits> {
  const [large, reader, writer] = await Promise.all([
    subject.connect(),
    subject.connect(),
    subject.connect(),
  ])
  const read = { method: 'GET', path: `${collection}/${nameOf(0)}` }
  const waits: Waits = { reads: [], writes: [] }
  let done = false
  const writing = (async () => {
    const body = (n: number) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `large-${n}` },
        data: { padding: 'x'.repeat(largeBytes) },
      })
    const path = '/api/v1/namespaces/default/configmaps'
    for (let n = 0; n < largeWrites; n++)
      expectStatus(await large.send({ method: 'POST', path, body: body(n) }), 201)
    done = true
  })()
  const repeat = async (connection: Connection, call: (n: number) => Call, into: number[]) => {
    for (let n = 0; !done; n++) {
      const began = performance.now()
      expectStatus(await connection.send(call(n)), 200)
      into.push(performance.now() - began)
      await sleep(5)
    }
  }
  await Promise.all([
    writing,
    repeat(reader, () => read, waits.reads),
    repeat(writer, (n) => statusPatches(n % 1000, 1, n + 1_000)[0] ?? read, waits.writes),
  ])
  for (const connection of [large, reader, writer]) connection.close()
  return waits
}

/** Milliseconds from sending a write until a watcher receives its event, for each write and watcher. */
export async function watchLatencies(
  subject: Subject,
  watchers: number,
  writes: number,
  from: number,
): Promise<number[]> {
  const writer = await subject.connect()
  let wanted = ''
  let missing = 0
  let began = 0
  const times: number[] = []
  let arrived: () => void = () => undefined
  const connections = await Promise.all(Array.from({ length: watchers }, () => subject.connect()))
  for (const connection of connections) {
    let rest = ''
    connection.follow(
      `${collection}?watch=true&resourceVersion=${await version(writer)}`,
      (chunk) => {
        rest += chunk.toString('latin1')
        if (wanted === '' || !rest.includes(wanted)) return
        rest = ''
        times.push(performance.now() - began)
        if (--missing === 0) arrived()
      },
    )
  }
  await sleep(500)
  for (let n = 0; n < writes; n++) {
    wanted = `"name":"${nameOf(from + n)}"`
    missing = watchers
    const all = new Promise<void>((resolve) => {
      arrived = resolve
    })
    began = performance.now()
    const sent = writer.send({ method: 'POST', path: collection, body: widget(from + n) })
    await all
    expectStatus(await sent, 201)
    wanted = ''
  }
  for (const connection of [writer, ...connections]) connection.close()
  return times
}

async function version(connection: Connection): Promise<string> {
  const { body } = await connection.send({ method: 'GET', path: `${collection}?limit=1` })
  const list = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } }
  return list.metadata.resourceVersion
}

function expectStatus({ status, body }: { status: number; body: Buffer }, wanted: number): void {
  if (status !== wanted)
    throw new Error(`answered with ${status}: ${body.toString().slice(0, 500)}`)
}

function numbers(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + at)
}
