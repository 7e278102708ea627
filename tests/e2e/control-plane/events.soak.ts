import { setTimeout as delay } from 'node:timers/promises'
import { agentRun } from '@agents/jangar-api'
import { formatApiVersion, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bestAuthority } from '../../support/testbed/authority.ts'
import { type ApiBed, startApiBed } from './api-bed.ts'
import { startReaders } from './events/readers.ts'

const runKind = kindRef<KubeObject>(agentRun)
const count = 1000
const perSecond = 100
const changes = 3000
const minute = 60_000

let bed: ApiBed
beforeAll(async () => {
  bed = await startApiBed(bestAuthority)
}, 10 * minute)
afterAll(() => bed?.stop(), 2 * minute)

async function create(index: number): Promise<void> {
  await bed.admin.create(runKind, {
    ...{ apiVersion: formatApiVersion(runKind), kind: runKind.kind },
    metadata: { namespace: 'red', name: `run-${index}` },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as KubeObject)
}

test(
  '1,000 readers see each of 100 changes a second once and in order, or a reset',
  async () => {
    const users = Array.from({ length: 10 }, (_, at) => bed.readerToken(`watcher-${at}`))
    const tokens = await Promise.all(users)
    const readers = await startReaders({ ...bed.listener, tokens, count, changes })
    const memory = process.memoryUsage.rss()
    const committed = new Float64Array(changes)
    let replacing: Promise<void> | undefined
    let replacedAt = Number.POSITIVE_INFINITY
    const start = performance.now()
    for (let index = 0; index < changes; index += 1) {
      const due = start + (index * 1000) / perSecond - performance.now()
      if (due > 1) await delay(due)
      await create(index)
      committed[index] = performance.timeOrigin + performance.now()
      if (index % 10 === 0) readers.cut()
      if (index === changes / 2) {
        replacedAt = index
        replacing = bed.replaceFirst()
      }
    }
    const seconds = (performance.now() - start) / 1000
    await replacing
    const waiting = () => readers.waitingFor(changes - 1)
    await expect.poll(waiting, { timeout: 2 * minute, interval: 1000 }).toBe(0)
    const grown = (process.memoryUsage.rss() - memory) / 1024 / 1024
    const { problems, resets, times, cuts } = await readers.end()
    expect(problems).toEqual([])
    // Nobody but those of the control plane that was replaced missed anything.
    expect(Math.max(...resets)).toBe(1)
    const waits: number[] = []
    for (let reader = 0; reader < count; reader += 1) {
      for (let index = 0; index < replacedAt; index += 1) {
        const seenAt = times[reader * changes + index] ?? 0
        expect(seenAt).toBeGreaterThan(0)
        waits.push(seenAt - (committed[index] ?? 0))
      }
    }
    waits.sort((a, b) => a - b)
    const at = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0)
    process.stderr.write(
      `${count} readers, ${Math.round(changes / seconds)} changes/s, ${cuts} cuts, one restart: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms; memory +${Math.round(grown)} MiB\n`,
    )
    expect(grown).toBeLessThan(512)
  },
  10 * minute,
)
