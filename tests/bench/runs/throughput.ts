import { readFile } from 'node:fs/promises'
import { createInformers, type KubeClient } from '@agents/kube'
import { isFinished } from '@agents/status'
import {
  createRuns,
  limitName,
  namespace,
  type RunPlatform,
  runKind,
  unlimited,
} from '../../run-platform/run-platform.ts'

/** Runs a minute, from the first create to the last end. */
export async function measureThroughput(
  platform: RunPlatform,
  count: number,
  concurrency: number,
  nodeFlags: readonly string[] = [],
): Promise<number> {
  const { client } = platform
  const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: `${concurrency}` }
  const controllers = await platform.startControllers(settings, nodeFlags)
  const node = await platform.startNode(nodeFlags)
  const names = Array.from({ length: count }, (_, at) => `queued-${at}`)
  const before = await revisionOf(client)
  const cpuBefore = await Promise.all([controllers.usage(), node.usage(), cpuMsOf(platform.pid)])
  const began = performance.now()
  const finished = allFinished(client, count)
  await createRuns(client, names)
  const createdMs = performance.now() - began
  const succeeded = await finished
  const wallMs = performance.now() - began
  const [used, ofNode, ofServer] = await Promise.all([
    controllers.usage(),
    node.usage(),
    cpuMsOf(platform.pid),
  ])
  const writes = (await revisionOf(client)) - before
  const perMinute = (count / wallMs) * 60_000
  const each = (ms: number): string => `${(ms / count).toFixed(1)} ms`
  console.log(
    [
      `${count} queued runs, ${concurrency} at a time: ${Math.round(perMinute)} runs/min (goal ≥ 2500)`,
      `  ${(wallMs / 1000).toFixed(1)} s, of which ${(createdMs / 1000).toFixed(1)} s creating; ${succeeded} succeeded`,
      `  writes per run ${(writes / count).toFixed(1)}; processor per run: controllers ${each(used.cpuMs - cpuBefore[0].cpuMs)}, node ${each(ofNode.cpuMs - cpuBefore[1].cpuMs)}, server ${each(ofServer - cpuBefore[2])}`,
      `  controllers ${mebibytes(used.rss)} MiB resident, ${mebibytes(used.heapUsed)} MiB of heap`,
    ].join('\n'),
  )
  return perMinute
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

/** Of any process, where the kernel tells; in its ticks of 10 ms. */
async function cpuMsOf(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
