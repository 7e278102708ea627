import { createInformers, type KubeClient } from '@agents/kube'
import { isFinished } from '@agents/status'
import {
  createRuns,
  limitName,
  namespace,
  type RunPlatform,
  runKind,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { type Measured, whileMeasured } from './processor-time.ts'

/** From the first create to the last completion. */
export async function measureThroughput(
  platform: RunPlatform,
  count: number,
  concurrency: number,
  nodeFlags: readonly string[] = [],
): Promise<Measured> {
  const { client, pids } = platform
  const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: `${concurrency}` }
  const controllers = await platform.startControllers(settings, nodeFlags)
  const node = await platform.startNode(nodeFlags)
  const names = Array.from({ length: count }, (_, at) => `queued-${at}`)
  const before = await revisionOf(client)
  let createdMs = 0
  let succeeded = 0
  const all = { ...pids, node: node.pid, controllers: controllers.pid }
  const measured = await whileMeasured(all, async () => {
    const began = performance.now()
    const finished = allFinished(client, count)
    await createRuns(client, names)
    createdMs = performance.now() - began
    succeeded = await finished
  })
  const used = await controllers.usage()
  const writes = (await revisionOf(client)) - before
  console.log(
    [
      `${count} queued runs, ${concurrency} at a time: ${perMinute(measured, count)} runs/min (goal ≥ 2500)`,
      `  ${(measured.wallMs / 1000).toFixed(1)} s, of which ${(createdMs / 1000).toFixed(1)} s creating; ${succeeded} succeeded`,
      `  writes per run ${(writes / count).toFixed(1)}; controllers ${mebibytes(used.rss)} MiB resident, ${mebibytes(used.heapUsed)} MiB of heap`,
    ].join('\n'),
  )
  return measured
}

export function perMinute({ wallMs }: Measured, count: number): number {
  return Math.round((count / wallMs) * 60_000)
}

export function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}

/** How many of them succeeded. */
async function allFinished(client: KubeClient, count: number): Promise<number> {
  const informers = createInformers(client)
  const runs = informers.acquire(runKind, { namespace })
  const over = new Map<string, boolean>()
  const done = Promise.withResolvers<void>()
  const look = ({ metadata, status }: NonNullable<ReturnType<typeof runs.informer.store.get>>) => {
    if (!isFinished(status?.conditions) || over.has(metadata.name)) return
    over.set(metadata.name, status?.phase === 'Succeeded')
    if (over.size === count) done.resolve()
  }
  runs.addHandler({ onAdd: look, onUpdate: (_before, after) => look(after) })
  await done.promise
  await informers.stop()
  return [...over.values()].filter(Boolean).length
}

async function revisionOf(client: KubeClient): Promise<number> {
  const { metadata } = await client.list(runKind, { namespace, limit: 1 })
  return Number(metadata?.resourceVersion)
}
