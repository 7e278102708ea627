import { availableParallelism } from 'node:os'
import type { NotedRequest } from './audit-log.ts'
import type { Measured } from './processor-time.ts'

/** Something that was done so many times, and what was measured or noted down meanwhile. */
export interface Share<T> {
  readonly count: number
  readonly of: T
}

/** Milliseconds of processor that each program has used for a run, and for a Job without one. */
export function processorTable(runs: Share<Measured>, jobs: Share<Measured>): string {
  const names = [...new Set([...Object.keys(runs.of.times), ...Object.keys(jobs.of.times)])]
  const each = ({ count, of }: Share<Measured>, name: string) => (of.times[name] ?? 0) / count
  const rows = names.map((name): Row => [name, each(runs, name), each(jobs, name)])
  const processors = availableParallelism()
  const most = (at: 1 | 2): number => Math.floor((processors * 60_000) / sum(rows, at))
  return [
    table('processor, ms per', rows.toSorted(byFirst), 1),
    `  ${processors} processors can do ${most(1)} runs a minute at most, or ${most(2)} bare Jobs`,
  ].join('\n')
}

/** How often each of them asks the server for what, for a run and for a Job without one. */
export function requestTable(
  runs: Share<readonly NotedRequest[]>,
  jobs: Share<readonly NotedRequest[]>,
): string {
  const [ofRuns, ofJobs] = [counted(runs.of), counted(jobs.of)]
  const rows = [...new Set([...ofRuns.keys(), ...ofJobs.keys()])].map(
    (name): Row => [
      name,
      (ofRuns.get(name) ?? 0) / runs.count,
      (ofJobs.get(name) ?? 0) / jobs.count,
    ],
  )
  const often = rows.filter(([, run, job]) => Math.max(run, job) >= worthTelling)
  return table('requests per', often.toSorted(byFirst), 2)
}

/** What is asked for less often has nothing to do with how many runs there are. */
const worthTelling = 0.05

function counted(requests: readonly NotedRequest[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const request of requests) {
    const name = nameOf(request)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

function nameOf({ verb, userAgent = '', objectRef = {}, responseStatus = {} }: NotedRequest) {
  const { resource = 'other', subresource } = objectRef
  const { code = 0 } = responseStatus
  const what = subresource === undefined ? resource : `${resource}/${subresource}`
  return `${askerOf(userAgent)} ${verb} ${what}${code >= 400 ? ` (${code})` : ''}`
}

/** `controllers (…) …`; the parts of Kubernetes that are many in one say who asks at the end: `kube-…/v1.36.0 (…) …/job-controller`. */
function askerOf(userAgent: string): string {
  const [, program = userAgent] = /^([^/ ]+)/.exec(userAgent) ?? []
  const [, part = ''] = /\/(?:system:serviceaccount:kube-system:)?([a-z-]+)$/.exec(userAgent) ?? []
  return part === '' || part === 'client' ? program : part
}

type Row = readonly [string, number, number]

function byFirst(a: Row, b: Row): number {
  return b[1] - a[1] || b[2] - a[2]
}

function sum(rows: readonly Row[], at: 1 | 2): number {
  return rows.reduce((all, row) => all + row[at], 0)
}

function table(title: string, rows: readonly Row[], digits: number): string {
  const lines = [...rows, ['all', sum(rows, 1), sum(rows, 2)] satisfies Row]
  const width = Math.max(...[title, ...lines.map(([name]) => name)].map((name) => name.length))
  const line = (name: string, run: string, job: string): string =>
    `  ${name.padEnd(width)} ${run.padStart(8)} ${job.padStart(8)}`
  return [
    line(title, 'run', 'bare Job'),
    ...lines.map(([name, run, job]) => line(name, run.toFixed(digits), job.toFixed(digits))),
  ].join('\n')
}
