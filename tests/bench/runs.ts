/**
 * Runs that do nothing, through server, controllers and node in three processes: how soon a run has its Job, how many runs are
 * brought to their end in a minute, and what the controllers need of memory. `--runs=100 --queued=500` is a short version.
 */
import { parseArgs } from 'node:util'
import { type ServerName, startRunPlatform } from '../run-platform/run-platform.ts'
import { realClusterAvailable } from '../testbed/real-cluster.ts'
import { measureBareJobs } from './runs/bare-jobs.ts'
import { measureLatency } from './runs/latency.ts'
import { measureMemory } from './runs/memory.ts'
import { measureThroughput } from './runs/throughput.ts'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      server: { type: 'string', default: 'embedded,real' },
      /** Created one after the other. */
      runs: { type: 'string', default: '200' },
      /** Created at once, and brought to completion. */
      queued: { type: 'string', default: '1000,5000' },
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
      await onPlatform(name, count, (platform, all) => measureLatency(platform, all, flags))
    }
    for (const count of numbers(values.queued)) {
      const concurrency = Number(values.concurrency)
      const runs = await onPlatform(name, count, (platform, all) =>
        measureThroughput(platform, all, concurrency, flags),
      )
      const bare = await onPlatform(name, count, (platform, all) =>
        measureBareJobs(platform, all, concurrency),
      )
      console.log(
        `  Jobs alone: ${Math.round(bare)}/min; runs reach ${Math.round((runs / bare) * 100)} % of that`,
      )
    }
    for (const count of numbers(values.waiting)) await onPlatform(name, count, measureMemory)
  }
}

type Measure<T> = (
  platform: Awaited<ReturnType<typeof startRunPlatform>>,
  count: number,
) => Promise<T>

/** A fresh one each time, so that no measure carries the load of the one before. */
async function onPlatform<T>(name: ServerName, count: number, measure: Measure<T>): Promise<T> {
  const platform = await startRunPlatform(name)
  try {
    return await measure(platform, count)
  } finally {
    await platform.stop()
  }
}

async function isRealThere(): Promise<boolean> {
  const there = await realClusterAvailable({})
  if (!there.available) console.log(`SKIPPED: the real server: ${there.reason}`)
  return there.available
}
