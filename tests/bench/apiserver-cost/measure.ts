import { setTimeout as delay } from 'node:timers/promises'
import type { KubeClient } from '@agents/kube'
import { allocatedBytes } from '../kube/allocated-bytes.ts'
import { profileServer } from '../kube/profile-server.ts'
import { whileMeasured } from '../runs/processor-time.ts'
import type { Write } from './writes.ts'

/** A series of writes for the same objects. Series that are measured alternately have the same load before them. */
export interface Series {
  readonly name: string
  readonly writes: readonly Write[]
}

interface CostOptions {
  readonly client: KubeClient
  /** The process id of kube-apiserver. */
  readonly pid: number
  /** Objects per round, and requests in flight. */
  readonly objects: number
  readonly inFlight: number
  readonly rounds: number
}

/** What a write costs kube-apiserver. */
export interface Cost {
  readonly cpuMs: number
  readonly allocatedKib: number
}

/** By series and write, one for each round. */
export type Costs = ReadonlyMap<string, ReadonlyMap<string, readonly Cost[]>>

/**
 * Measures the series alternately. What kube-apiserver uses without any request is subtracted. A round before the first
 * one is not counted: it compiles rules, fills caches and grows heaps.
 */
export async function measureCosts(
  series: readonly Series[],
  options: CostOptions,
): Promise<{ readonly costs: Costs; readonly idle: number }> {
  const idle = await idleCost(options.pid)
  const costs = new Map(series.map(({ name }) => [name, new Map<string, Cost[]>()]))
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const { name, writes } of series) {
      for (const write of writes) {
        const cost = await costOf(write, `${name}-${round}`, idle, options)
        const ofSeries = costs.get(name)
        if (round > 0) ofSeries?.set(write.name, [...(ofSeries.get(write.name) ?? []), cost])
      }
    }
  }
  return { costs, idle }
}

async function costOf(
  write: Write,
  prefix: string,
  idle: number,
  { client, pid, objects, inFlight }: CostOptions,
): Promise<Cost> {
  const before = await allocatedBytes(client)
  const { wallMs, times } = await whileMeasured({ server: pid }, () =>
    sendAll(client, write, prefix, objects, inFlight),
  )
  const allocated = (await allocatedBytes(client)) - before
  return {
    cpuMs: ((times.server ?? NaN) - idle * wallMs) / objects,
    allocatedKib: allocated / 1024 / objects,
  }
}

async function sendAll(
  client: KubeClient,
  write: Write,
  prefix: string,
  objects: number,
  inFlight: number,
): Promise<void> {
  const left = Array.from({ length: objects }, (_, at) => `${prefix}-${at}`).values()
  const send = async (): Promise<void> => {
    for (const name of left) await write.send(client, name)
  }
  await Promise.all(Array.from({ length: inFlight }, send))
}

/** CPU milliseconds per millisecond without requests, once what follows the start has settled. */
async function idleCost(pid: number): Promise<number> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const { wallMs, times } = await whileMeasured({ server: pid }, () => delay(idleMs))
    const now = (times.server ?? NaN) / wallMs
    if (now >= before * settled) return Math.min(now, before)
    before = now
  }
}

const idleMs = 5_000
/** Idle CPU time that falls by less than this factor has settled. */
const settled = 0.8

/** Writes a CPU profile of kube-apiserver, in the format of pprof, while the writes of the series are repeated. */
export async function profileSeries(
  { name, writes }: Series,
  { client, objects, inFlight }: CostOptions,
  { folder, seconds }: { readonly folder: string; readonly seconds: number },
): Promise<string> {
  const file = `${folder}/${name}.pprof`
  let isOver = false
  const profile = profileServer(client, seconds, file).finally(() => {
    isOver = true
  })
  for (let pass = 0; !isOver; pass += 1) {
    for (const write of writes) {
      await sendAll(client, write, `profiled-${name}-${pass}`, Math.min(objects, 50), inFlight)
    }
  }
  await profile
  return file
}
