import { ConfigMapKind, createInformers, JobKind } from '@agents/kube'
import {
  createRun,
  namespace,
  type RunPlatform,
  unlimited,
} from '../../run-platform/run-platform.ts'
import { percentile } from './percentile.ts'

/**
 * From asking for a run until a watch shows its Job, one run after the other; and, for the ratio, how long the same server took
 * for a single small write in between.
 */
export async function measureLatency(
  platform: RunPlatform,
  count: number,
  nodeFlags: readonly string[] = [],
): Promise<void> {
  const { client } = platform
  await platform.startControllers(unlimited, nodeFlags)
  await platform.startNode(nodeFlags)
  const informers = createInformers(client)
  const jobs = informers.acquire(JobKind)
  const waiting = new Map<string, () => void>()
  jobs.addHandler({
    onAdd: ({ metadata }) => {
      for (const { name } of metadata.ownerReferences ?? []) waiting.get(name)?.()
    },
  })
  await informers.waitForSync()
  const times: number[] = []
  const writes: number[] = []
  for (let at = 0; at < count + warmUp; at += 1) {
    const name = `single-${at}`
    const seen = new Promise<void>((resolve) => waiting.set(name, resolve))
    const began = performance.now()
    await createRun(client, name)
    await seen
    if (at >= warmUp) times.push(performance.now() - began)
    const asked = performance.now()
    await client.create(ConfigMapKind, { metadata: { name, namespace } })
    if (at >= warmUp) writes.push(performance.now() - asked)
  }
  await informers.stop()
  const [p50, p99] = [percentile(times, 50), percentile(times, 99)]
  const write = percentile(writes, 50)
  console.log(
    [
      `${count} runs one by one: create → Job p50 ${p50.toFixed(1)} ms (goal ≤ 50), p99 ${p99.toFixed(1)} ms`,
      `  ${(p50 / write).toFixed(1)} times as long as a single write, which takes ${write.toFixed(1)} ms (p50)`,
    ].join('\n'),
  )
}

/** The first ones compile what the others use. */
const warmUp = 20
