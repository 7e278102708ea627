import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { informerHarness } from '../testing/informer-harness.ts'

vi.setConfig({ testTimeout: 180_000 })

const harness = informerHarness()

test.each([
  { because: 'received by a stream', watchList: true },
  { because: 'received by a list', watchList: false },
])('a replaced object can be garbage-collected: $because', async ({ watchList }) => {
  harness.truth.put('a')
  await harness.start({ watchList })
  const before = held('a')
  harness.truth.put('a', { x: 'y' })
  harness.truth.put('b')
  await harness.converged()
  // Pending deliveries to handlers reference it for a moment.
  await vi.waitFor(async () => {
    await collectGarbage()
    // An error that shows the object would reference it.
    expect(before.deref() === undefined).toBe(true)
  }, 60_000)
})

/** A separate function, so that no frame of the test references the object. */
function held(name: string): WeakRef<ConfigMap> {
  const object = harness.informer.store.get({ namespace: 'team', name })
  if (object === undefined) throw new TypeError(`there is no ${name}`)
  return new WeakRef(object)
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function collectGarbage(): Promise<void> {
  // A WeakRef that was just dereferenced keeps its object until the end of the turn.
  await nextTurn()
  collect()
}
