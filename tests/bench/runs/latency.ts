import { setTimeout as delay } from 'node:timers/promises'
import { ConfigMapKind, createInformers, JobKind } from '@agents/kube'
import { isFinished } from '@agents/status'
import {
  createRun,
  namespace,
  type RunPlatform,
  runKind,
  unlimited,
} from '../../run-platform/run-platform.ts'
import { percentile } from './percentile.ts'

export interface LatencyOptions {
  /** Of those that come one by one. */
  readonly count: number
  /** Runs a second, whatever becomes of those before. */
  readonly rates: readonly number[]
  readonly nodeFlags: readonly string[]
}

/**
 * From asking for a run until a watch shows its Job. First each run is created when the one before has its Job, so that the
 * rest of those before is still going on and the processors are never idle; then each when the one before has ended, with a single
 * small write in between for comparison; then at steady rates.
 */
export async function measureLatency(
  platform: RunPlatform,
  { count, rates, nodeFlags }: LatencyOptions,
): Promise<void> {
  const { client } = platform
  await platform.startControllers(unlimited, nodeFlags)
  await platform.startNode(nodeFlags)
  const seen = await lookOut(platform)
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

/** The first ones compile what the others use. */
const warmUp = 20

const steadySeconds = 12

/** Milliseconds since each was due: one that is created late because others took long has waited, too. */
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

/** Tells when a run has its Job, and when it has ended. */
async function lookOut({ client }: RunPlatform) {
  const informers = createInformers(client)
  const jobs = milestones()
  const ends = milestones()
  informers.acquire(JobKind).addHandler({
    onAdd: ({ metadata }) => {
      for (const { name } of metadata.ownerReferences ?? []) jobs.reach(name)
    },
  })
  informers.acquire(runKind, { namespace }).addHandler({
    onUpdate: (_before, { metadata, status }) => {
      if (isFinished(status?.conditions)) ends.reach(metadata.name)
    },
  })
  await informers.waitForSync()
  return { job: jobs.reached, end: ends.reached, stop: () => informers.stop() }
}

function milestones() {
  const known = new Map<string, PromiseWithResolvers<void>>()
  const of = (name: string): PromiseWithResolvers<void> => {
    const one = known.get(name) ?? Promise.withResolvers<void>()
    known.set(name, one)
    return one
  }
  return {
    reach: (name: string): void => of(name).resolve(),
    reached: (name: string): Promise<void> => of(name).promise,
  }
}
