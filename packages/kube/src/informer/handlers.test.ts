import { describe, expect, test, vi } from 'vitest'
import { createKubeClient } from '../client/kube-client.ts'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { recordHistory } from '../testing/history.ts'
import { informerBench } from '../testing/informer-bench.ts'

vi.setConfig({ testTimeout: 180_000 })

const bench = informerBench()
const { converged, inform, start } = bench

describe('handlers', () => {
  test('who come late are told what is there', async () => {
    bench.truth.put('a')
    bench.truth.put('b')
    await start()
    const heard: string[] = []
    const registration = bench.informer.addHandler({
      onAdd: ({ metadata }, { isInInitialList }) =>
        heard.push(`${metadata.name} ${isInInitialList}`),
    })
    expect(registration.hasSynced()).toBe(true)
    expect(heard).toEqual(['a true', 'b true'])
    bench.truth.put('c')
    await vi.waitFor(() => expect(heard).toEqual(['a true', 'b true', 'c false']), 60_000)
    registration.remove()
    bench.truth.put('d')
    await converged()
    expect(heard).toHaveLength(3)
  })

  test('who come early have synced when the initial list was delivered', async () => {
    bench.truth.put('a')
    inform()
    const seen: boolean[] = []
    const registration = bench.informer.addHandler({
      onAdd: () => seen.push(registration.hasSynced()),
    })
    expect(registration.hasSynced()).toBe(false)
    bench.informer.start()
    await bench.informer.waitForSync()
    expect(seen).toEqual([false])
    expect(registration.hasSynced()).toBe(true)
  })

  test('who fail harm nobody else', async () => {
    bench.truth.put('a')
    const errors: string[] = []
    inform({ onError: (error, action) => errors.push(`${action}: ${error}`) })
    bench.informer.addHandler({
      onAdd: () => {
        throw new Error('oh')
      },
    })
    const history = recordHistory<ConfigMap>()
    bench.informer.addHandler(history.handler)
    bench.informer.start()
    await bench.informer.waitForSync()
    expect(history.lines).toEqual(['add a'])
    expect(errors).toEqual(['handler: Error: oh'])
  })

  test('who register in the middle of a delivery hear everything once', async () => {
    bench.truth.put('a')
    bench.truth.put('b')
    inform()
    const history = recordHistory<ConfigMap>()
    let registered = false
    bench.informer.addHandler({
      onAdd: () => {
        if (!registered) bench.informer.addHandler(history.handler)
        registered = true
      },
    })
    bench.informer.start()
    await bench.informer.waitForSync()
    expect(history.lines).toEqual(['add a', 'add b'])
  })

  test('the store already has what they hear of', async () => {
    bench.truth.put('a')
    const seen: boolean[] = []
    inform()
    bench.informer.addHandler({
      onAdd: ({ metadata }) => seen.push(bench.informer.store.get(metadata) !== undefined),
      onDelete: ({ metadata }) => seen.push(bench.informer.store.get(metadata) === undefined),
    })
    bench.informer.start()
    await bench.informer.waitForSync()
    bench.truth.remove('a')
    await vi.waitFor(() => expect(seen).toEqual([true, true]), 60_000)
  })

  test('hear everything again at a resync, without a request', async () => {
    bench.truth.put('a')
    const waits: number[] = []
    let wake = (): void => undefined
    const clock = {
      now: () => Date.now(),
      random: () => 0.5,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          waits.push(ms)
          wake = resolve
          signal?.addEventListener('abort', () => reject(signal.reason))
        }),
    }
    bench.client = createKubeClient(
      { server: bench.truth.server.url, namespace: 'team' },
      { clock },
    )
    const history = await start({ resyncMs: 10 })
    const asked = bench.truth.server.requests.length
    wake()
    await vi.waitFor(() => expect(history.lines).toEqual(['add a', 'update a']), 60_000)
    expect(waits[0]).toBe(1000)
    expect(bench.truth.server.requests).toHaveLength(asked)
  })
})
