import { setTimeout as delay } from 'node:timers/promises'
import type { KubeObject } from '@agents/kube'
import type { Usage } from '../../support/run-platform/part-process.ts'
import { type RunPlatform, startRunPlatform } from '../../support/run-platform/run-platform.ts'
import { auditLog, type NotedRequest } from '../../support/testbed/audit-log.ts'
import { until } from '../../support/testbed/until.ts'
import { allocatedBytes } from '../kube/allocated-bytes.ts'
import { profileServer } from '../kube/profile-server.ts'
import type { Share } from '../runs/budget.ts'
import { type Measured, whileMeasured } from '../runs/processor-time.ts'
import { startKwok } from './kwok.ts'
import { observe } from './observer.ts'
import type { Subject } from './subject.ts'

interface PeerOptions {
  /** The path of kwok. */
  readonly kwok: string
  /** Number of objects that are created at once. */
  readonly objects: number
  /** Objects per second, one rate after the other. */
  readonly rates: readonly number[]
  /** Seconds at each rate. */
  readonly seconds: number
  /** A folder for a CPU profile of kube-apiserver while the objects are worked on, in the format of pprof. */
  readonly profile: string | undefined
}

export interface PeerResult {
  readonly throughput: Share<Measured>
  /** Bytes that kube-apiserver allocated for them all. Unlike CPU time, it does not depend on the machine. */
  readonly allocatedBytes: number
  /** Of the objects that were created at each rate. */
  readonly latencies: ReadonlyMap<number, readonly PodLatency[]>
  /** Of the controllers at the end, if they tell. */
  readonly controllers?: Usage
}

/** Milliseconds since the moment at which an object was due. */
export interface PodLatency {
  /** Until its creation was answered. */
  readonly answered: number
  /** Until its Job was seen, if it has one. */
  readonly job: number | undefined
  /** Until its pod was seen. */
  readonly pod: number
}

/** Measures first latencies, which also warms everything up, then throughput, on a fresh cluster. */
export function measurePeer<T extends KubeObject>(
  subject: Subject<T>,
  options: PeerOptions,
): Promise<PeerResult> {
  return onCluster(subject, options.kwok, [], async (platform, pids, usage) => {
    const latencies = new Map<number, readonly PodLatency[]>()
    for (const rate of options.rates) {
      latencies.set(rate, await latenciesAt(rate, options.seconds, platform, subject))
    }
    const count = options.objects
    const { profile } = options
    const file = `${profile}/${subject.name.replace(' ', '-')}.pprof`
    const profiled = profile && profileServer(platform.client, profileSeconds, file)
    const before = await allocatedBytes(platform.client)
    const of = await whileMeasured(pids, () => createAndFinish(platform, subject, count))
    const after = await allocatedBytes(platform.client)
    await profiled
    const controllers = await usage()
    return {
      throughput: { count, of },
      allocatedBytes: after - before,
      latencies,
      ...(controllers && { controllers }),
    }
  })
}

/** Audits the requests for a number of objects. Separate from the measures of speed, because auditing takes time. */
export async function auditPeer<T extends KubeObject>(
  subject: Subject<T>,
  kwok: string,
  count: number,
): Promise<Share<readonly NotedRequest[]>> {
  const log = await auditLog()
  try {
    return await onCluster(subject, kwok, log.apiServerFlags, async (platform) => {
      const { length } = await log.read()
      await createAndFinish(platform, subject, count)
      // Events and the last updates of the Job controller follow the end of an object.
      await delay(settleMs)
      return { count, of: (await log.read()).slice(length) }
    })
  } finally {
    await log.remove()
  }
}

const settleMs = 3_000

/** The default number of objects takes longer, so that the whole profile shows work. */
const profileSeconds = 30

async function onCluster<T extends KubeObject, R>(
  { kind, install, start, hasPolicies }: Subject<T>,
  kwokPath: string,
  apiServerFlags: readonly string[],
  measure: (
    platform: RunPlatform,
    pids: Readonly<Record<string, number>>,
    usage: () => Promise<Usage | undefined>,
  ) => Promise<R>,
): Promise<R> {
  const options = { apiServerFlags, admissionPolicies: hasPolicies }
  const platform = await startRunPlatform('real', options)
  try {
    const kwok = await startKwok(kwokPath, platform)
    try {
      await install?.(platform.client)
      if (start) await untilCollected(platform, kind.plural)
      const controllers = await start?.(platform)
      try {
        const pids = {
          ...platform.pids,
          kwok: kwok.pid,
          ...(controllers && { controllers: controllers.pid }),
        }
        return await measure(platform, pids, async () => controllers?.usage?.())
      } finally {
        await controllers?.stop()
      }
    } finally {
      await kwok.stop()
    }
  } finally {
    await platform.stop()
  }
}

/**
 * Resolves when the garbage collector watches the objects: it discovers new kinds every 30 seconds, and before that it
 * gets the owner of each Job or pod. Nothing else watches them yet.
 */
async function untilCollected({ client }: RunPlatform, plural: string): Promise<void> {
  const isWatched = new RegExp(
    `^apiserver_longrunning_requests\\{.*resource="${plural}".*\\} [1-9]`,
    'm',
  )
  await until(
    async () => {
      const { bytes } = await client.request({ path: '/metrics' })
      return isWatched.test(bytes.toString())
    },
    `the garbage collector does not watch ${plural}`,
    { everyMs: 1_000 },
  )
}

/** From the first create to the last completion, with 16 requests in flight while creating. */
async function createAndFinish<T extends KubeObject>(
  { client }: RunPlatform,
  subject: Subject<T>,
  count: number,
): Promise<void> {
  const observer = await observe(client, subject, { pods: false })
  const names = Array.from({ length: count }, (_, at) => `object-${at}`)
  const left = names.values()
  const create = async (): Promise<void> => {
    for (const name of left) await subject.create(client, name)
  }
  await Promise.all(Array.from({ length: 16 }, create))
  await observer.finished(names)
  await observer.stop()
}

/** An object that is created late because others took long has waited, too. */
async function latenciesAt<T extends KubeObject>(
  rate: number,
  seconds: number,
  { client }: RunPlatform,
  subject: Subject<T>,
): Promise<readonly PodLatency[]> {
  const observer = await observe(client, subject, { pods: true })
  const names = Array.from({ length: rate * (seconds + warmUpSeconds) }, (_, at) => {
    return `rate-${rate}-${at}`
  })
  const began = performance.now()
  const times = await Promise.all(
    names.map(async (name, at) => {
      const due = began + (at * 1000) / rate
      await delay(Math.max(0, due - performance.now()))
      await subject.create(client, name)
      const answered = performance.now() - due
      const { job, pod } = await observer.podSeen(name)
      return { answered, job: job && job - due, pod: pod - due }
    }),
  )
  await observer.finished(names)
  await observer.stop()
  return times.slice(rate * warmUpSeconds)
}

/** The first objects compile code that the others use. */
const warmUpSeconds = 4
