import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { informerBench } from '../testing/informer-bench.ts'

vi.setConfig({ testTimeout: 180_000 })

const bench = informerBench()

test.each([
  { because: 'it came in a stream', watchList: true },
  { because: 'it came in a list', watchList: false },
])('an object that is another by now is not held any longer: $because', async ({ watchList }) => {
  bench.truth.put('a')
  await bench.start({ watchList })
  const before = held('a')
  bench.truth.put('a', { x: 'y' })
  bench.truth.put('b')
  await bench.converged()
  // What is still on its way through handlers holds it for a moment.
  await vi.waitFor(async () => {
    await collectGarbage()
    // An error that shows the object would hold it itself.
    expect(before.deref() === undefined).toBe(true)
  }, 60_000)
})

/** In a function of its own, so that no frame of the test holds the object. */
function held(name: string): WeakRef<ConfigMap> {
  const object = bench.informer.store.get({ namespace: 'team', name })
  if (object === undefined) throw new TypeError(`there is no ${name}`)
  return new WeakRef(object)
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function collectGarbage(): Promise<void> {
  // A WeakRef that was just looked at holds its object until the end of the turn.
  await nextTurn()
  collect()
}
