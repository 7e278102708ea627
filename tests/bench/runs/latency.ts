import { setTimeout as delay } from 'node:timers/promises'
import { ConfigMapKind, createInformers, JobKind } from '@agents/kube'
import { isFinished } from '@agents/status'
import {
  createRun,
  namespace,
  type RunPlatform,
  runKind,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { milestones } from './milestones.ts'
import { percentile } from './percentile.ts'

export interface LatencyOptions {
  /** Number of runs that are created one at a time. */
  readonly count: number
  /** Runs per second, regardless of earlier ones. */
  readonly rates: readonly number[]
  readonly nodeFlags: readonly string[]
}

/**
 * Measures the time from requesting a run until a watch shows its Job. First each run is created when the previous one
 * has its Job, so that earlier runs are still in progress and the CPUs are never idle; then each when the previous one
 * has finished, with a single small write in between for comparison; then at steady rates.
 */
export async function measureLatency(
  platform: RunPlatform,
  { count, rates, nodeFlags }: LatencyOptions,
): Promise<void> {
  const { client } = platform
  await platform.startControllers(unlimited, nodeFlags)
  await platform.startNode(nodeFlags)
  const seen = await observeRuns(platform)
  const untilJob = async (name: string): Promise<number> => {
    const began = performance.now()
    await createRun(client, name)
    await seen.job(name)
    return performance.now() - began
  }
  const busy: number[] = []
  for (let at = 0; at < count + warmUp; at += 1) busy.push(await untilJob(`single-${at}`))
  for (let at = 0; at < busy.length; at += 1) await seen.end(`single-${at}`)
  const calm: number[] = []
  const writes: number[] = []
  for (let at = 0; at < count / 4; at += 1) {
    const name = `calm-${at}`
    calm.push(await untilJob(name))
    await seen.end(name)
    const began = performance.now()
    await client.create(ConfigMapKind, { metadata: { name, namespace } })
    writes.push(performance.now() - began)
  }
  const steady = new Map<number, number[]>()
  for (const rate of rates) {
    const names = Array.from({ length: rate * steadySeconds }, (_, at) => `steady-${rate}-${at}`)
    steady.set(rate, await atRate(rate, names, untilJob))
    for (const name of names) await seen.end(name)
  }
  await seen.stop()
  const write = percentile(writes, 50)
  console.log(
    [
      `${count} runs one by one: create → Job ${told(busy.slice(warmUp))} (goal ≤ 50)`,
      `  ${calm.length} runs, each after the end of the one before: ${told(calm)}; a single write ${write.toFixed(1)} ms`,
      ...[...steady].map(([rate, times]) => `  ${rate} runs a second: ${told(times)} (goal ≤ 50)`),
    ].join('\n'),
  )
}

/** The first runs compile code that the others use. */
const warmUp = 20

const steadySeconds = 12

/** Milliseconds since each run was due: a run that is created late because others took long has waited, too. */
async function atRate(
  rate: number,
  names: readonly string[],
  untilJob: (name: string) => Promise<number>,
): Promise<number[]> {
  const began = performance.now()
  return Promise.all(
    names.map(async (name, at) => {
      const due = began + (at * 1000) / rate
      await delay(Math.max(0, due - performance.now()))
      await untilJob(name)
      return performance.now() - due
    }),
  )
}

function told(times: readonly number[]): string {
  return `p50 ${percentile(times, 50).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms`
}

/** Observes when a run has its Job, and when it has finished. */
async function observeRuns({ client }: RunPlatform) {
  const informers = createInformers(client)
  const jobs = milestones()
  const ends = milestones()
  informers.acquire(JobKind).addHandler({
    onAdd: ({ metadata }) => {
      for (const { name } of metadata.ownerReferences ?? []) jobs.reach(name, undefined)
    },
  })
  informers.acquire(runKind, { namespace }).addHandler({
    onUpdate: (_before, { metadata, status }) => {
      if (isFinished(status?.conditions)) ends.reach(metadata.name, undefined)
    },
  })
  await informers.waitForSync()
  return { job: jobs.reached, end: ends.reached, stop: () => informers.stop() }
}
