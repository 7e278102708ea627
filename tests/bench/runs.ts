/**
 * Runs that do nothing, through server, controllers and node in three processes: how soon a run has its Job, how many runs are
 * brought to their end in a minute, and what the controllers need of memory. `--runs=100 --queued=500` is a short version.
 */
import { parseArgs } from 'node:util'
import {
  type RunPlatformOptions,
  type ServerName,
  startRunPlatform,
} from '../run-platform/run-platform.ts'
import { realClusterAvailable } from '../testbed/real-cluster.ts'
import { auditLog, type NotedRequest } from './runs/audit-log.ts'
import { measureBareJobs } from './runs/bare-jobs.ts'
import { processorTable, requestTable, type Share } from './runs/budget.ts'
import { measureLatency } from './runs/latency.ts'
import { measureMemory } from './runs/memory.ts'
import { measureThroughput, perMinute } from './runs/throughput.ts'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      server: { type: 'string', default: 'embedded,real' },
      /** Created one after the other. */
      runs: { type: 'string', default: '200' },
      /** Created so many a second, after those. */
      rates: { type: 'string', default: '4,8,12' },
      /** Created at once, and brought to completion. */
      queued: { type: 'string', default: '1000,5000' },
      /** Of which kube-apiserver notes down every request. */
      noted: { type: 'string', default: '300' },
      /** At a time, of those. */
      concurrency: { type: 'string', default: '24' },
      /** That wait while the controllers' memory is measured. */
      waiting: { type: 'string', default: '10000' },
      /** A folder for processor profiles of the controllers and the node. */
      profile: { type: 'string' },
    },
  })
  const numbers = (text: string): number[] =>
    text
      .split(',')
      .map(Number)
      .filter((one) => one > 0)
  const { profile } = values
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  for (const name of values.server.split(',') as ServerName[]) {
    if (name === 'real' && !(await isRealThere())) continue
    console.log(`\n${name} server`)
    for (const count of numbers(values.runs)) {
      const options = { count, rates: numbers(values.rates), nodeFlags: flags }
      await onPlatform(name, count, (platform) => measureLatency(platform, options))
    }
    const concurrency = Number(values.concurrency)
    for (const count of numbers(values.queued)) {
      const runs = await onPlatform(name, count, (platform, all) =>
        measureThroughput(platform, all, concurrency, flags),
      )
      const jobs = await onPlatform(name, count, (platform, all) =>
        measureBareJobs(platform, all, concurrency),
      )
      const share = Math.round((jobs.wallMs / runs.wallMs) * 100)
      console.log(`  Jobs alone: ${perMinute(jobs, count)}/min; runs reach ${share} % of that`)
      console.log(processorTable({ count, of: runs }, { count, of: jobs }))
    }
    for (const count of name === 'real' ? numbers(values.noted) : []) {
      const runs = await notedRequests(count, measureThroughput, concurrency)
      const jobs = await notedRequests(count, measureBareJobs, concurrency)
      console.log(requestTable(runs, jobs))
    }
    for (const count of numbers(values.waiting)) await onPlatform(name, count, measureMemory)
  }
}

type Measure<T> = (
  platform: Awaited<ReturnType<typeof startRunPlatform>>,
  count: number,
) => Promise<T>

/** A fresh one each time, so that no measure carries the load of the one before. */
async function onPlatform<T>(
  name: ServerName,
  count: number,
  measure: Measure<T>,
  options?: RunPlatformOptions,
): Promise<T> {
  const platform = await startRunPlatform(name, options)
  try {
    return await measure(platform, count)
  } finally {
    await platform.stop()
  }
}

/** Apart from the measures of speed: to note them down takes time, too. */
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
