import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createRuns,
  limitName,
  namespace,
  type RunPlatform,
  runKind,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { type ControllersUsage, startShipped } from './shipped-controllers.ts'
import { mebibytes } from './throughput.ts'

/** Memory of the controllers while many runs are queued; one has the only slot, and no node ever starts it. */
export async function measureMemory(platform: RunPlatform, count: number): Promise<void> {
  const { client, kubeconfigPath: kubeconfig, stateDir } = platform
  const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: '1' }
  const start = () => startShipped({ kubeconfig, settings, compiled: join(stateDir, 'compiled') })
  // The first process compiles its code, which the image has done in advance.
  await (await start()).stop()
  const controllers = await start()
  await controllers.rest()
  const idle = await controllers.usage()
  const began = performance.now()
  await createRuns(
    client,
    Array.from({ length: count }, (_, at) => `waiting-${at}`),
  )
  while (await isLookedAt()) await delay(1000)
  const seconds = (performance.now() - began) / 1000
  await controllers.rest()
  const used = await controllers.usage()
  await controllers.stop()
  const next = await start()
  await next.rest()
  console.log(
    [
      `${count} runs waiting: controllers ${told(used)} after their creation, which took ${seconds.toFixed(0)} s (goal for 10,000: ≤ 150 MiB);`,
      `  ${told(await next.usage())} for a process that finds them there; ${told(idle)} without any`,
    ].join('\n'),
  )
  await next.stop()

  async function isLookedAt(): Promise<boolean> {
    for await (const run of client.each(runKind, { namespace, limit: 500 })) {
      if (run.status?.queue === undefined && run.status?.runtimeRef === undefined) return true
    }
    return false
  }
}

function told({ rss, peakRss, heapUsed, cpuMs }: ControllersUsage): string {
  const most = peakRss === undefined ? '' : ` (at most ${mebibytes(peakRss)})`
  return `${mebibytes(rss)} MiB resident${most}, of it ${mebibytes(heapUsed)} of heap, ${(cpuMs / 1000).toFixed(1)} s of processor,`
}
