import { setTimeout as delay } from 'node:timers/promises'
import { agentRun } from '@agents/jangar-api'
import { formatApiVersion, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bestAuthority } from '../../support/testbed/authority.ts'
import { type ApiBed, startApiBed } from './api-bed.ts'
import { startReaders } from './events/readers.ts'
import { type PlaneProcess, startPlaneProcess } from './plane-process.ts'

const runKind = kindRef<KubeObject>(agentRun)
const count = 1000
const perSecond = 100
/** Before a kill, without the control plane, and after it is back. */
const [before, between, after] = [1500, 300, 1500] as const
const changes = before + between + after
const minute = 60_000
const patience = { timeout: 2 * minute, interval: 1000 }
/** The limit that the chart gives the container by default, in MiB. */
const mostMemory = 512

let bed: ApiBed
beforeAll(async () => {
  bed = await startApiBed(bestAuthority, { planeCount: 0 })
}, 10 * minute)
afterAll(() => bed?.stop(), 2 * minute)

/** When it was stored, and as which version. */
async function create(index: number): Promise<{ readonly at: number; readonly version: bigint }> {
  const { metadata } = await bed.admin.create(runKind, {
    ...{ apiVersion: formatApiVersion(runKind), kind: runKind.kind },
    metadata: { namespace: 'red', name: `run-${index}` },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as KubeObject)
  const at = performance.timeOrigin + performance.now()
  return { at, version: BigInt(metadata.resourceVersion ?? 0) }
}

test(
  '1,000 readers see each of 100 changes a second once and in order, or a reset',
  async () => {
    const users = Array.from({ length: 10 }, (_, at) => bed.readerToken(`watcher-${at}`))
    const tokens = await Promise.all(users)
    let plane: PlaneProcess = await startPlaneProcess(bed.environment)
    const { ca } = bed.listener
    const readers = await startReaders({ port: plane.port, ca, tokens, count, changes })
    const idle = plane.memory()
    const stored: Promise<{ readonly at: number; readonly version: bigint }>[] = []
    /** At a fixed rate, whether the changes before are stored or not. Returns the rate. */
    const change = async (times: number): Promise<number> => {
      const start = performance.now()
      for (let index = 0; index < times; index += 1) {
        const due = start + (index * 1000) / perSecond - performance.now()
        if (due > 1) await delay(due)
        if (stored.length % 10 === 0) readers.cut()
        stored.push(create(stored.length))
      }
      await Promise.all(stored)
      return (times * 1000) / (performance.now() - start)
    }
    const rates = [await change(before)]
    // What was stored last may not have reached all readers, and must not be asked for below.
    await expect.poll(() => readers.waitingFor(before - 1), patience).toBe(0)
    const mostBefore = plane.mostMemory()
    await plane.kill()
    await change(between)
    plane = await startPlaneProcess(bed.environment, plane.port)
    await expect.poll(() => readers.withoutReset(), patience).toBe(0)
    rates.push(await change(after))
    const all = await Promise.all(stored)
    const order = all.map((_, at) => at).toSorted((a, b) => versionOf(a) - versionOf(b))
    const ranks = all.map(() => 0)
    for (const [rank, index] of order.entries()) ranks[index] = rank
    function versionOf(index: number): number {
      return Number(all[index]?.version)
    }
    await expect.poll(() => readers.waitingFor(order.at(-1) ?? 0), patience).toBe(0)
    const most = Math.max(mostBefore, plane.mostMemory())
    const { problems, resets, times, cuts } = await readers.end(ranks)
    expect(problems).toEqual([])
    // Nobody missed anything but by the control plane that was killed.
    expect(Math.max(...resets)).toBe(1)
    const waits: number[] = []
    for (let reader = 0; reader < count; reader += 1) {
      for (let index = 0; index < changes; index += 1) {
        if (index >= before && index < before + between) continue
        const seenAt = times[reader * changes + index] ?? 0
        expect(seenAt).toBeGreaterThan(0)
        waits.push(seenAt - (all[index]?.at ?? 0))
      }
    }
    waits.sort((a, b) => a - b)
    const at = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0)
    process.stderr.write(
      `${count} readers, ${rates.map(Math.round).join(' and ')} changes/s, ${cuts} cuts, one kill: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms; memory ${Math.round(idle)} MiB, at most ${Math.round(most)} MiB\n`,
    )
    expect(Math.min(...rates)).toBeGreaterThanOrEqual(perSecond * 0.95)
    expect(most).toBeLessThan(mostMemory)
    expect(at(0.99)).toBeLessThanOrEqual(200)
  },
  10 * minute,
)
