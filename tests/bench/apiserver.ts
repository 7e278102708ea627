/**
 * Compares the embedded API server with a real kube-apiserver and etcd: the same client, the same objects, both
 * durable, on the same machine at the same time. Rounds alternate, so that other load affects both equally.
 */
import { realClusterAvailable } from '../support/testbed/real-cluster.ts'
import {
  applies,
  creates,
  gets,
  listMs,
  longestWaitMs,
  prepare,
  rate,
  statusPatches,
  type Waits,
  waitsDuringCompaction,
  watchLatencies,
} from './apiserver/measures.ts'
import { embeddedSubject, realSubject, type Subject } from './apiserver/subject.ts'

const rounds = 3
const latencyRounds = 5
const latencyWrites = 400
const batch = 1000
const objects = 10_000

export async function run(): Promise<void> {
  const availability = await realClusterAvailable()
  if (!availability.available) console.log(`without the real server: ${availability.reason}`)
  const embedded = await embeddedSubject()
  const subjects: Subject[] = [embedded]
  try {
    if (availability.available) subjects.push(await realSubject())
    await measureAll(subjects)
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()))
  }
}

async function measureAll(subjects: readonly Subject[]): Promise<void> {
  const report = new Report(subjects)
  await report.once('start-up, the first', 'ms', async ({ firstStartMs }) => firstStartMs)
  await report.once('start-up, later', 'ms', async ({ startMs }) => startMs)
  await report.once('memory, idle', 'MB', async (subject) => subject.memory() / 1e6)
  for (const subject of subjects) await prepare(subject)
  // The first requests of a process are not representative.
  for (const subject of subjects) await rate(subject, creates(100_000, 300), 201)
  for (const subject of subjects) await rate(subject, deletes(100_000, 300), 200)

  await report.rounds('create', '/s', (subject, round) =>
    rate(subject, creates(round * batch, batch), 201),
  )
  await report.rounds('get', '/s', (subject) => rate(subject, gets(0, batch * rounds), 200))
  await report.rounds('status patch', '/s', (subject, round) =>
    rate(subject, statusPatches(0, batch, round + 1), 200),
  )
  await report.rounds('server-side apply', '/s', (subject, round) =>
    rate(subject, applies(0, batch, round + 2), 200),
  )
  for (const subject of subjects) {
    await rate(subject, creates(rounds * batch, objects - rounds * batch), 201)
  }
  await report.once('memory, 10,000 objects', 'MB', async (subject) => subject.memory() / 1e6)
  await report.rounds('list 500', 'ms', (subject) => listMs(subject, 500, 500))
  for (const subject of subjects) await subject.longestBlockMs()
  await report.rounds('list 10,000', 'ms', (subject) => listMs(subject, 0, objects))
  await report.rounds('small request during lists of 10,000, at most', 'ms', (subject) =>
    longestWaitMs(subject, 3),
  )
  await report.once('event loop held up by that, at most', 'ms', (subject) =>
    subject.longestBlockMs(),
  )
  await report.once('memory after lists', 'MB', async (subject) => subject.memory() / 1e6)
  for (const watchers of [1, 100]) await measureLatencies(report, subjects, watchers)
  await measureCompaction(report, subjects)
}

/**
 * Rounds alternate here too, and each has its own percentiles, so that a single hiccup of the machine affects one
 * round. A round has so many writes that its 99 % is not its largest value.
 */
async function measureLatencies(
  report: Report,
  subjects: readonly Subject[],
  watchers: number,
): Promise<void> {
  const latencies = new Map<Subject, number[][]>(subjects.map((subject) => [subject, []]))
  for (let round = 0; round < latencyRounds; round++) {
    for (const subject of subjects) {
      const from = 20_000 + watchers * 10_000 + round * latencyWrites
      latencies.get(subject)?.push(await watchLatencies(subject, watchers, latencyWrites, from))
    }
  }
  for (const share of [0.5, 0.99]) {
    const title = `write to watch, ${watchers} watching, ${share * 100} %`
    await report.once(title, 'ms', async (subject) =>
      at(
        (latencies.get(subject) ?? []).map((round) => at(round, share)),
        0.5,
      ),
    )
  }
}

/** Large writes make the store compact itself several times while small requests continue. */
async function measureCompaction(report: Report, subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects) await subject.longestBlockMs()
  const waits = new Map<Subject, Waits>()
  for (const subject of subjects) waits.set(subject, await waitsDuringCompaction(subject))
  await report.once('small read during compaction, at most', 'ms', async (subject) =>
    at(waits.get(subject)?.reads ?? [], 1),
  )
  await report.once('small write during compaction, 99 %', 'ms', async (subject) =>
    at(waits.get(subject)?.writes ?? [], 0.99),
  )
  await report.once('event loop held up by that, at most', 'ms', (subject) =>
    subject.longestBlockMs(),
  )
}

function deletes(from: number, count: number) {
  return gets(from, count).map((call) => ({ ...call, method: 'DELETE' }))
}

/** Prints each figure as soon as it is available: medians of the rounds, and how much better the embedded server is. */
class Report {
  readonly #subjects: readonly Subject[]

  constructor(subjects: readonly Subject[]) {
    this.#subjects = subjects
    const names = subjects.map(({ name }) => name.padStart(12)).join('')
    console.log(`${''.padEnd(48)}${names}       better by`)
  }

  once(
    title: string,
    unit: string,
    measure: (subject: Subject) => Promise<number | undefined>,
  ): Promise<void> {
    return this.#measure(title, unit, 1, measure)
  }

  rounds(
    title: string,
    unit: string,
    measure: (subject: Subject, round: number) => Promise<number>,
  ): Promise<void> {
    return this.#measure(title, unit, rounds, measure)
  }

  async #measure(
    title: string,
    unit: string,
    times: number,
    measure: (subject: Subject, round: number) => Promise<number | undefined>,
  ): Promise<void> {
    const figures = this.#subjects.map((): number[] => [])
    for (let round = 0; round < times; round++) {
      for (const [index, subject] of this.#subjects.entries()) {
        const figure = await measure(subject, round)
        if (figure !== undefined) figures[index]?.push(figure)
      }
    }
    const medians = figures.map((each) => (each.length === 0 ? undefined : at(each, 0.5)))
    const cells = medians.map((value) => cell(value, unit).padStart(12)).join('')
    const [ours, theirs] = medians
    const ratio =
      ours === undefined || theirs === undefined
        ? ''
        : `${(unit === '/s' ? ours / theirs : theirs / ours).toFixed(1)} ×`
    console.log(`${title.padEnd(48)}${cells}${ratio.padStart(16)}`)
  }
}

function cell(value: number | undefined, unit: string): string {
  if (value === undefined) return '-'
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return `${value.toLocaleString('en-US', { maximumFractionDigits: digits })} ${unit}`
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
}
