import { parentPort, workerData } from 'node:worker_threads'
import { EventReader } from './event-reader.ts'
import type { ReadersMessage, ReadersReport, ReadersWork } from './readers.ts'

/** Many readers in a thread of their own, so that they do not take the time of the server. */
const { port, ca, tokens, count, changes } = workerData as ReadersWork

/** In the place of a change: changes may be missing here. */
const resetMark = -1

/** The numbers of the changes that each reader saw, in its order. */
const seen = Array.from({ length: count }, (): number[] => [])
const times = new Float64Array(count * changes)

function note(reader: number, text: string): void {
  const number = text.startsWith('run-') ? Number(text.slice('run-'.length)) : Number.NaN
  if (number >= 0) {
    times[reader * changes + number] = performance.timeOrigin + performance.now()
    seen[reader]?.push(number)
  }
  if (text === 'reset') seen[reader]?.push(resetMark)
}

/** What came twice, out of order, or is missing without a reset. `ranks` has the place of each change. */
function problemOf(of: readonly number[], ranks: readonly number[]): string | undefined {
  let last = -1
  let isReset = false
  for (const number of of) {
    if (number === resetMark) {
      isReset = true
      continue
    }
    const rank = ranks[number] ?? -1
    const isNext = rank === last + 1 || (isReset && rank > last)
    if (!isNext) return `change ${rank} after ${last}`
    last = rank
    isReset = false
  }
  return last === changes - 1 ? undefined : `change ${last} is the last`
}

const readers = Array.from({ length: count }, (_, reader) => {
  const token = tokens[reader % tokens.length] ?? ''
  return new EventReader({ port, ca, token }, (text) => note(reader, text))
})

let cut = 0
parentPort?.on('message', (message: ReadersMessage) => {
  if (message === 'cut') {
    readers[(cut * 7) % count]?.cut()
    cut += 1
    return
  }
  if (message === 'resets') {
    const waiting = seen.filter((of) => !of.includes(resetMark)).length
    parentPort?.postMessage({ waiting })
    return
  }
  if ('ranks' in message) {
    for (const reader of readers) reader.end()
    const problems = seen.flatMap((of) => problemOf(of, message.ranks) ?? [])
    const resets = seen.map((of) => of.filter((number) => number === resetMark).length)
    parentPort?.postMessage({ problems, resets, times, cuts: cut } satisfies ReadersReport)
    return
  }
  const isSeen = (reader: number) => (times[reader * changes + message.number] ?? 0) > 0
  parentPort?.postMessage({ waiting: readers.filter((_, reader) => !isSeen(reader)).length })
})

// One after the other in each of a few lanes: a thousand handshakes together would all be slow.
const lanes = 20
await Promise.all(
  Array.from({ length: lanes }, async (_, lane) => {
    for (let at = lane; at < count; at += lanes) await readers[at]?.connect()
  }),
)
parentPort?.postMessage('ready')
