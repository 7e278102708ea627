import type { NotedRequest } from '../../support/testbed/audit-log.ts'
import { requestsEach, type Share } from '../runs/budget.ts'
import { percentile } from '../runs/percentile.ts'
import type { Measured } from '../runs/processor-time.ts'
import { together } from '../runs/rounds.ts'
import { mebibytes, perMinute } from '../runs/throughput.ts'
import type { PeerResult, PodLatency } from './measures.ts'

/** What was measured of one subject: one result for each round, and the audited requests of a separate pass. */
export interface PeerFigures {
  readonly rounds: readonly PeerResult[]
  readonly audited: Share<readonly NotedRequest[]> | undefined
}

/** The throughput of all rounds together. */
export function throughputOf({ rounds }: PeerFigures): Share<Measured> {
  return together(rounds.map(({ throughput }) => throughput))
}

/** The figures side by side, with the ratio of runs to the others. */
export function comparison(runs: PeerFigures, jobs: PeerFigures, others = 'bare Job'): string {
  const rows: Row[] = [
    row('finished per minute', runs, jobs, perMinuteOf, 0),
    row('kube-apiserver CPU, ms each', runs, jobs, apiServerMs, 1),
    row('kube-apiserver allocations, KiB each', runs, jobs, allocatedKiB, 0),
    row('requests each', runs, jobs, ({ audited }) => audited && requestsEach(audited), 1),
  ]
  for (const rate of runs.rounds[0]?.latencies.keys() ?? []) {
    for (const percent of [50, 99]) {
      for (const stage of stages) {
        const name = `create → ${stage} at ${rate} a second, p${percent}, ms`
        rows.push(row(name, runs, jobs, (figures) => latencyOf(figures, rate, percent, stage), 1))
      }
    }
  }
  const width = Math.max(...rows.map(([name]) => name.length))
  return [['', 'run', others, 'ratio'] as const, ...rows]
    .map(([name, run, job, ratio]) =>
      [`  ${name.padEnd(width)}`, run.padStart(9), job.padStart(9), ratio.padStart(7)].join(' '),
    )
    .join('\n')
}

/** CPU and memory of the platform's controllers, after the last round. */
export function controllersLine(runs: PeerFigures): string {
  const { count, of } = throughputOf(runs)
  const memory = runs.rounds.at(-1)?.controllers
  const perRun = ((of.times.controllers ?? 0) / count).toFixed(1)
  const resident = memory === undefined ? '' : `, ${mebibytes(memory.rss)} MiB resident`
  const heap = memory === undefined ? '' : `, of it ${mebibytes(memory.heapUsed)} MiB of heap`
  return `  controllers: ${perRun} ms of CPU per run${resident}${heap}`
}

type Row = readonly [name: string, run: string, job: string, ratio: string]

function row(
  name: string,
  runs: PeerFigures,
  jobs: PeerFigures,
  value: (figures: PeerFigures) => number | undefined,
  digits: number,
): Row {
  const [run, job] = [value(runs), value(jobs)]
  const text = (one: number | undefined, places: number) => one?.toFixed(places) ?? '-'
  const ratio = run === undefined || job === undefined ? undefined : run / job
  return [name, text(run, digits), text(job, digits), text(ratio, 2)]
}

function perMinuteOf(figures: PeerFigures): number {
  const { count, of } = throughputOf(figures)
  return perMinute(of, count)
}

function apiServerMs(figures: PeerFigures): number {
  const { count, of } = throughputOf(figures)
  return (of.times['kube-apiserver'] ?? NaN) / count
}

function allocatedKiB(figures: PeerFigures): number {
  const bytes = figures.rounds.reduce((all, { allocatedBytes }) => all + allocatedBytes, 0)
  return bytes / 1024 / throughputOf(figures).count
}

const stages = ['answered', 'job', 'pod'] as const satisfies readonly (keyof PodLatency)[]

function latencyOf(
  { rounds }: PeerFigures,
  rate: number,
  percent: number,
  stage: keyof PodLatency,
): number | undefined {
  const latencies = rounds.flatMap((round) => round.latencies.get(rate) ?? [])
  const times = latencies.map((one) => one[stage]).filter((time) => time !== undefined)
  return times.length === 0 ? undefined : percentile(times, percent)
}
