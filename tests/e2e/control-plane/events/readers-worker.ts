import { parentPort, workerData } from 'node:worker_threads'
import { EventReader } from './event-reader.ts'
import type { ReadersReport, ReadersWork } from './readers.ts'

/** Many readers in a thread of their own, so that they do not take the time of the server. */
const { port, ca, tokens, count, changes } = workerData as ReadersWork

interface Seen {
  /** The number of the last change, -1 before the first. */
  last: number
  isReset: boolean
  resets: number
  problem: string | undefined
}

const seen = Array.from(
  { length: count },
  (): Seen => ({ last: -1, isReset: false, resets: 0, problem: undefined }),
)
const times = new Float64Array(count * changes)

function note(reader: number, text: string): void {
  const of = seen[reader]
  if (of === undefined) return
  if (text === 'reset') {
    of.isReset = true
    of.resets += 1
  }
  const number = /^run-(\d+)$/.exec(text)?.[1]
  if (number === undefined) return
  const at = Number(number)
  const isNext = at === of.last + 1 || (of.isReset && at > of.last)
  if (!isNext) of.problem ??= `change ${at} after ${of.last}`
  of.last = at
  of.isReset = false
  times[reader * changes + at] = performance.timeOrigin + performance.now()
}

const readers = Array.from({ length: count }, (_, reader) => {
  const token = tokens[reader % tokens.length] ?? ''
  return new EventReader({ port, ca, token }, (text) => note(reader, text))
})

let cut = 0
parentPort?.on('message', (message: 'cut' | 'end' | { readonly until: number }) => {
  if (message === 'cut') {
    readers[(cut * 7) % count]?.cut()
    cut += 1
    return
  }
  if (message === 'end') {
    for (const reader of readers) reader.end()
    const problems = seen.flatMap(({ problem }) => problem ?? [])
    const resets = seen.map((one) => one.resets)
    parentPort?.postMessage({ problems, resets, times, cuts: cut } satisfies ReadersReport)
    return
  }
  const waiting = seen.filter(({ last }) => last < message.until).length
  parentPort?.postMessage({ waiting })
})

// One after the other in each of a few lanes: a thousand handshakes together would all be slow.
const lanes = 20
await Promise.all(
  Array.from({ length: lanes }, async (_, lane) => {
    for (let at = lane; at < count; at += lanes) await readers[at]?.connect()
  }),
)
parentPort?.postMessage('ready')
