import { setTimeout as delay } from 'node:timers/promises'
import type { Usage } from '../../run-platform/part-process.ts'
import {
  createRuns,
  limitName,
  namespace,
  type RunPlatform,
  runKind,
  unlimited,
} from '../../run-platform/run-platform.ts'
import { mebibytes } from './throughput.ts'

/** What the controllers hold when so many runs wait; one has the only place, and no node ever begins it. */
export async function measureMemory(platform: RunPlatform, count: number): Promise<void> {
  const { client } = platform
  const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: '1' }
  // The first one compiles what it runs, which takes memory that it does not give back.
  await (await platform.startControllers(settings, frugal)).stop()
  const controllers = await platform.startControllers(settings, frugal)
  const idle = await controllers.usage()
  const began = performance.now()
  await createRuns(
    client,
    Array.from({ length: count }, (_, at) => `waiting-${at}`),
  )
  while (await isLookedAt()) await delay(1000)
  const seconds = (performance.now() - began) / 1000
  const used = await controllers.usage()
  await controllers.stop()
  const next = await platform.startControllers(settings, frugal)
  await delay(settleMs)
  console.log(
    [
      `${count} runs waiting: controllers ${told(used)} (goal ≤ 150) after their creation, which took ${seconds.toFixed(0)} s;`,
      `  ${told(await next.usage())} for a process that finds them there; ${told(idle)} without any`,
    ].join('\n'),
  )

  async function isLookedAt(): Promise<boolean> {
    for await (const run of client.each(runKind, { namespace, limit: 500 })) {
      if (run.status?.queue === undefined && run.status?.runtimeRef === undefined) return true
    }
    return false
  }
}

/** For a process to have looked at everything once. */
const settleMs = 15_000

function told({ rss, heapUsed }: Usage): string {
  return `${mebibytes(rss)} MiB resident, of it ${mebibytes(heapUsed)} of heap`
}

/** As in a container of 256 MiB. With more room Node puts off clearing up, and holds twice as much for the same runs. */
const frugal = ['--max-semi-space-size=1', '--max-old-space-size=128']
