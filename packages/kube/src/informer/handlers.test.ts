import { describe, expect, test, vi } from 'vitest'
import { createKubeClient } from '../client/kube-client.ts'
import { systemClock } from '../clock/clock.ts'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { recordHistory } from '../testing/history.ts'
import { informerHarness } from '../testing/informer-harness.ts'

vi.setConfig({ testTimeout: 180_000 })

const harness = informerHarness()
const { converged, inform, start } = harness

describe('handlers', () => {
  test('that register late receive the existing objects', async () => {
    harness.truth.put('a')
    harness.truth.put('b')
    await start()
    const received: string[] = []
    const registration = harness.informer.addHandler({
      onAdd: ({ metadata }, { isInInitialList }) =>
        received.push(`${metadata.name} ${isInInitialList}`),
    })
    expect(registration.hasSynced()).toBe(true)
    expect(received).toEqual(['a true', 'b true'])
    harness.truth.put('c')
    await vi.waitFor(() => expect(received).toEqual(['a true', 'b true', 'c false']), 60_000)
    registration.remove()
    harness.truth.put('d')
    await converged()
    expect(received).toHaveLength(3)
  })

  test('that register early have synced when the initial list was delivered', async () => {
    harness.truth.put('a')
    inform()
    const seen: boolean[] = []
    const registration = harness.informer.addHandler({
      onAdd: () => seen.push(registration.hasSynced()),
    })
    expect(registration.hasSynced()).toBe(false)
    harness.informer.start()
    await harness.informer.waitForSync()
    expect(seen).toEqual([false])
    expect(registration.hasSynced()).toBe(true)
  })

  test('that throw do not affect other handlers', async () => {
    harness.truth.put('a')
    const errors: string[] = []
    inform({ onError: (error, action) => errors.push(`${action}: ${error}`) })
    harness.informer.addHandler({
      onAdd: () => {
        throw new Error('oh')
      },
    })
    const history = recordHistory<ConfigMap>()
    harness.informer.addHandler(history.handler)
    harness.informer.start()
    await harness.informer.waitForSync()
    expect(history.lines).toEqual(['add a'])
    expect(errors).toEqual(['handler: Error: oh'])
  })

  test('that register during a delivery receive every object once', async () => {
    harness.truth.put('a')
    harness.truth.put('b')
    inform()
    const history = recordHistory<ConfigMap>()
    let registered = false
    harness.informer.addHandler({
      onAdd: () => {
        if (!registered) harness.informer.addHandler(history.handler)
        registered = true
      },
    })
    harness.informer.start()
    await harness.informer.waitForSync()
    expect(history.lines).toEqual(['add a', 'add b'])
  })

  test('are called after the store has changed', async () => {
    harness.truth.put('a')
    const seen: boolean[] = []
    inform()
    harness.informer.addHandler({
      onAdd: ({ metadata }) => seen.push(harness.informer.store.get(metadata) !== undefined),
      onDelete: ({ metadata }) => seen.push(harness.informer.store.get(metadata) === undefined),
    })
    harness.informer.start()
    await harness.informer.waitForSync()
    harness.truth.remove('a')
    await vi.waitFor(() => expect(seen).toEqual([true, true]), 60_000)
  })

  test('receive every object again at a resync, without a request', async () => {
    harness.truth.put('a')
    const waits: number[] = []
    let wake = (): void => undefined
    const clock = {
      ...systemClock,
      after: (ms: number, action: () => void) => {
        waits.push(ms)
        wake = action
        return () => undefined
      },
    }
    harness.client = createKubeClient(
      { server: harness.truth.server.url, namespace: 'team' },
      { clock, random: () => 0.5 },
    )
    const history = await start({ resyncMs: 10 })
    const requested = harness.truth.server.requests.length
    wake()
    await vi.waitFor(() => expect(history.lines).toEqual(['add a', 'update a']), 60_000)
    expect(waits[0]).toBe(1000)
    expect(harness.truth.server.requests).toHaveLength(requested)
  })
})
