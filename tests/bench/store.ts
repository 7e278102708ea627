/**
 * Measures the store alone, without HTTP: durable writes, their effect on the event loop, lists, start-up and memory.
 * Memory and start-up are those of a separate process.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openDurableStore } from '../../packages/apiserver/src/store/durable-store.ts'
import { openEphemeralStore } from '../../packages/apiserver/src/store/ephemeral-store.ts'
import type { Store } from '../../packages/apiserver/src/store/store.ts'
import { fill, keyOf, objectOf } from './store/objects.ts'

export async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'bench-store-'))
  try {
    for (const inFlight of [1, 16, 64]) {
      const directory = join(root, `writes-${inFlight}`)
      await measureWrites(
        `durable, ${inFlight} in flight`,
        await openDurableStore({ directory }),
        inFlight,
      )
    }
    await measureWrites('in memory, 16 in flight', openEphemeralStore(), 16)
    await measureLists()
    for (const objects of [0, 10_000, 50_000]) await measureProcess(root, objects)
  } finally {
    rmSync(root, { recursive: true })
  }
}

async function measureWrites(title: string, store: Store, inFlight: number): Promise<void> {
  const writes = inFlight === 1 ? 5000 : 30_000
  const keys = 5000
  const latencies: number[] = []
  const watched: number[] = []
  const begun = new Map<number, number>()
  store.watch('/', store.revision, ({ revision }) => {
    watched.push(performance.now() - (begun.get(revision) ?? Number.NaN))
    begun.delete(revision)
  })
  let next = 0
  const client = async () => {
    while (next < writes) {
      const n = next++
      const start = performance.now()
      await store.write(keyOf(n % keys), () => {
        begun.set(n + 2, start)
        return { value: objectOf(n % keys) }
      })
      latencies.push(performance.now() - start)
    }
  }
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const start = performance.now()
  await Promise.all(Array.from({ length: inFlight }, client))
  const seconds = (performance.now() - start) / 1000
  loop.disable()
  await store.close()
  console.log(
    `writes of 1 KiB, ${title}: ${Math.round(writes / seconds).toLocaleString('en-US')}/s`,
  )
  console.log(`  acknowledged after  ${describe(latencies)}`)
  console.log(`  watched after       ${describe(watched)}`)
  console.log(`  event loop held up  ${(loop.max / 1e6).toFixed(1)} ms at most`)
}

async function measureLists(): Promise<void> {
  const store = openEphemeralStore()
  await fill(store, 10_000)
  const { revision } = store
  for (let n = 0; n < 10_000; n += 10) await store.write(keyOf(n), () => ({ value: objectOf(n) }))
  const time = (title: string, action: () => unknown) => {
    const times = Array.from({ length: 30 }, () => {
      const start = performance.now()
      action()
      return performance.now() - start
    })
    console.log(`${title}: ${describe(times)}`)
  }
  time('list 10,000', () => store.list('/'))
  time('list 10,000 and join their bytes', () =>
    Buffer.concat(store.list('/').entries.map(({ json }) => json)),
  )
  time('list 500 of 10,000', () => store.list('/', { limit: 500 }))
  time('list 500 of 10,000, a thousand writes ago', () =>
    store.listAt('/', revision, { limit: 500 }),
  )
  await store.close()
}

async function measureProcess(root: string, objects: number): Promise<void> {
  const directory = join(root, `load-${objects}`)
  const store = await openDurableStore({ directory })
  await fill(store, objects)
  await store.close()
  const script = join(import.meta.dirname, 'store', 'open-and-report.ts')
  const cache = join(root, 'compile-cache')
  for (const [title, env] of [
    ['', process.env],
    [', compile cache', { ...process.env, NODE_COMPILE_CACHE: cache }],
    [', compile cache filled', { ...process.env, NODE_COMPILE_CACHE: cache }],
  ] as const) {
    const { stdout } = spawnSync(process.execPath, ['--expose-gc', script, directory], { env })
    console.log(
      `process with ${objects.toLocaleString('en-US')} objects${title}: ${String(stdout).trim()}`,
    )
  }
}

function describe(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2)
  return `${at(0.5)} ms median, ${at(0.99)} 99 %, ${at(1)} at most`
}
