import { availableParallelism } from 'node:os'
import type { NotedRequest } from '../../support/testbed/audit-log.ts'
import type { Measured } from './processor-time.ts'

/** Something that was done a number of times, with what was measured or audited meanwhile. */
export interface Share<T> {
  readonly count: number
  readonly of: T
}

/** CPU milliseconds that each program has used per run, and per Job without one or other object. */
export function processorTable(
  runs: Share<Measured>,
  jobs: Share<Measured>,
  others = 'bare Job',
): string {
  const names = [...new Set([...Object.keys(runs.of.times), ...Object.keys(jobs.of.times)])]
  const each = ({ count, of }: Share<Measured>, name: string) => (of.times[name] ?? 0) / count
  const rows = names.map((name): Row => [name, each(runs, name), each(jobs, name)])
  const processors = availableParallelism()
  const most = (at: 1 | 2): number => Math.floor((processors * 60_000) / sum(rows, at))
  return [
    table('processor, ms per', others, rows.toSorted(byFirst), 1),
    `  ${processors} processors can do ${most(1)} runs a minute at most, or ${most(2)} ${others}s`,
  ].join('\n')
}

/** How often each client sends which request, per run and per bare Job or other object. */
export function requestTable(
  runs: Share<readonly NotedRequest[]>,
  jobs: Share<readonly NotedRequest[]>,
  others = 'bare Job',
): string {
  const [ofRuns, ofJobs] = [frequent(runs), frequent(jobs)]
  const names = new Set([...ofRuns.keys(), ...ofJobs.keys()])
  const rows = [...names].map((name): Row => [name, ofRuns.get(name) ?? 0, ofJobs.get(name) ?? 0])
  return table('requests per', others, rows.toSorted(byFirst), 2)
}

/** How many requests one object takes. */
export function requestsEach(audited: Share<readonly NotedRequest[]>): number {
  return [...frequent(audited).values()].reduce((sum, each) => sum + each, 0)
}

/** Less frequent requests, per object, do not depend on the number of objects. */
const leastFrequent = 0.05

/** The requests per object, by client, verb and resource; without those of discovery and health checks. */
function frequent({ count, of }: Share<readonly NotedRequest[]>): Map<string, number> {
  const byName = Map.groupBy(
    of.filter(({ objectRef }) => objectRef?.resource !== undefined),
    nameOf,
  )
  const rows = [...byName].map(([name, { length }]) => [name, length / count] as const)
  return new Map(rows.filter(([, each]) => each >= leastFrequent))
}

function nameOf({ verb, userAgent = '', objectRef = {}, responseStatus = {} }: NotedRequest) {
  const { resource = '', subresource } = objectRef
  const { code = 0 } = responseStatus
  const what = subresource === undefined ? resource : `${resource}/${subresource}`
  return `${askerOf(userAgent)} ${verb} ${what}${code >= 400 ? ` (${code})` : ''}`
}

/**
 * `controllers (…) …`; combined Kubernetes programs name the component at the end: `kube-…/v1.36.0 (…)
 * …/job-controller`.
 */
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

function table(title: string, others: string, rows: readonly Row[], digits: number): string {
  const lines = [...rows, ['all', sum(rows, 1), sum(rows, 2)] satisfies Row]
  const width = Math.max(...[title, ...lines.map(([name]) => name)].map((name) => name.length))
  const line = (name: string, run: string, job: string): string =>
    `  ${name.padEnd(width)} ${run.padStart(8)} ${job.padStart(8)}`
  return [
    line(title, 'run', others),
    ...lines.map(([name, run, job]) => line(name, run.toFixed(digits), job.toFixed(digits))),
  ].join('\n')
}
