/**
 * Measures runs that do nothing, through server, controllers and node in three processes: how soon a run has its Job,
 * how many runs finish per minute, and the memory of the controllers. Takes minutes; `--long` takes half an hour and
 * measures the memory for 10,000 runs.
 */
import { parseArgs } from 'node:util'
import {
  type RunPlatformOptions,
  type ServerName,
  startRunPlatform,
} from '../support/run-platform/run-platform.ts'
import { auditLog, type NotedRequest } from '../support/testbed/audit-log.ts'
import { realClusterAvailable } from '../support/testbed/real-cluster.ts'
import { measureBareJobs } from './runs/bare-jobs.ts'
import { processorTable, requestTable, type Share } from './runs/budget.ts'
import { measureLatency } from './runs/latency.ts'
import { measureMemory } from './runs/memory.ts'
import { memoryFolder } from './runs/memory-folder.ts'
import type { Measured } from './runs/processor-time.ts'
import { alternate, together } from './runs/rounds.ts'
import { measureThroughput, perMinute } from './runs/throughput.ts'

/** The numbers that flags override. */
const short = { runs: '100', rates: '4,8', queued: '600', noted: '100', waiting: '300' }
const long = { runs: '200', rates: '4,8,12', queued: '1000,5000', noted: '300', waiting: '10000' }

export async function run(args: string[]): Promise<void> {
  const { values: flags } = parseArgs({
    args,
    options: {
      server: { type: 'string', default: 'embedded,real' },
      long: { type: 'boolean', default: false },
      /** Runs created one at a time. */
      runs: { type: 'string' },
      /** Runs created per second, after those. */
      rates: { type: 'string' },
      /** Runs created at once, and run to completion. */
      queued: { type: 'string' },
      /** Those and bare Jobs are measured alternately, this many times. */
      rounds: { type: 'string', default: '1' },
      /** Runs whose requests kube-apiserver audits. */
      noted: { type: 'string' },
      /** Concurrency of those. */
      concurrency: { type: 'string', default: '24' },
      /** Runs that are queued while the controllers' memory is measured; by default only on the first server. */
      waiting: { type: 'string' },
      /** A folder for CPU profiles of the controllers, the node and the embedded server. */
      profile: { type: 'string' },
    },
  })
  const values = { ...(flags.long ? long : short), ...flags }
  const numbers = (text: string): number[] =>
    text
      .split(',')
      .map(Number)
      .filter((one) => one > 0)
  const { profile } = values
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const named = values.server.split(',') as ServerName[]
  const isWithoutReal = named.includes('real') && !(await isRealThere())
  const servers = isWithoutReal ? named.filter((name) => name !== 'real') : named
  // It depends little on the server, and the statuses of queued runs are written for a minute.
  const measuresMemoryOnce = !flags.long && flags.waiting === undefined
  for (const name of servers) {
    console.log(`\n${name} server`)
    for (const count of numbers(values.runs)) {
      const options = { count, rates: numbers(values.rates), nodeFlags }
      await onPlatform(name, count, (platform) => measureLatency(platform, options))
    }
    const concurrency = Number(values.concurrency)
    for (const count of numbers(values.queued)) {
      const { ofFirst, ofSecond } = await alternate(
        Number(values.rounds),
        () =>
          onPlatform(
            name,
            count,
            (platform) => measureThroughput(platform, count, concurrency, nodeFlags),
            { serverNodeFlags: nodeFlags },
          ),
        () => onPlatform(name, count, (platform) => measureBareJobs(platform, count, concurrency)),
      )
      const all = (rounds: readonly Measured[]): Share<Measured> =>
        together(rounds.map((of) => ({ count, of })))
      const [runs, jobs] = [all(ofFirst), all(ofSecond)] as const
      const share = Math.round((jobs.of.wallMs / runs.of.wallMs) * 100)
      const each = perMinute(jobs.of, jobs.count)
      console.log(`  Jobs alone: ${each}/min; runs reach ${share} % of that`)
      console.log(processorTable(runs, jobs))
    }
    for (const count of name === 'real' ? numbers(values.noted) : []) {
      const runs = await notedRequests(count, measureThroughput, concurrency)
      const jobs = await notedRequests(count, measureBareJobs, concurrency)
      console.log(requestTable(runs, jobs))
    }
    if (measuresMemoryOnce && name !== servers[0]) continue
    for (const count of numbers(values.waiting)) await onPlatform(name, count, measureMemory)
  }
}

type Measure<T> = (
  platform: Awaited<ReturnType<typeof startRunPlatform>>,
  count: number,
) => Promise<T>

/** A fresh platform for each measure, so that none is affected by the load of the previous one. */
async function onPlatform<T>(
  name: ServerName,
  count: number,
  measure: Measure<T>,
  options?: RunPlatformOptions,
): Promise<T> {
  const stateParent = await memoryFolder()
  const platform = await startRunPlatform(name, {
    ...{ admissionPolicies: true, stateParent },
    ...options,
  })
  try {
    return await measure(platform, count)
  } finally {
    await platform.stop()
  }
}

/** Separate from the measures of speed, because auditing takes time too. */
async function notedRequests(
  count: number,
  measure: typeof measureBareJobs,
  concurrency: number,
): Promise<Share<NotedRequest[]>> {
  const log = await auditLog()
  try {
    const { apiServerFlags } = log
    return await onPlatform(
      'real',
      count,
      async (platform) => {
        const { length } = await log.read()
        await measure(platform, count, concurrency)
        return { count, of: (await log.read()).slice(length) }
      },
      { apiServerFlags },
    )
  } finally {
    await log.remove()
  }
}

async function isRealThere(): Promise<boolean> {
  const there = await realClusterAvailable({})
  if (!there.available) console.log(`SKIPPED: the real server: ${there.reason}`)
  return there.available
}
