import { setTimeout as delay } from 'node:timers/promises'
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
  await (await platform.startControllers(settings)).stop()
  const controllers = await platform.startControllers(settings)
  const idle = await controllers.usage()
  const began = performance.now()
  await createRuns(
    client,
    Array.from({ length: count }, (_, at) => `waiting-${at}`),
  )
  while (await isLookedAt()) await delay(1000)
  const seconds = (performance.now() - began) / 1000
  const { rss, heapUsed } = await controllers.usage()
  console.log(
    `${count} runs waiting: controllers ${mebibytes(rss)} MiB resident (goal ≤ 150), ${mebibytes(heapUsed)} MiB of heap, without any ${mebibytes(idle.rss)} and ${mebibytes(idle.heapUsed)}; all told of their place after ${seconds.toFixed(0)} s`,
  )

  async function isLookedAt(): Promise<boolean> {
    for await (const run of client.each(runKind, { namespace, limit: 500 })) {
      if (run.status?.queue === undefined && run.status?.runtimeRef === undefined) return true
    }
    return false
  }
}
