import { openDurableStore } from '../../../packages/apiserver/src/store/durable-store.ts'

// Opens the store in the directory given as argument, and reports how long that took and how much memory the process
// uses.

const [directory = ''] = process.argv.slice(2)
const start = performance.now()
const store = await openDurableStore({ directory })
const opened = performance.now() - start
const loaded = process.memoryUsage.rss()
for (const { value } of store.list('/').entries)
  if (value.kind !== 'Thing') throw new Error(value.kind)
globalThis.gc?.()

function megabytes(bytes: number) {
  return `${Math.round(bytes / 1e6)} MB`
}

console.log(
  `store open in ${opened.toFixed(0)} ms, ${performance.now().toFixed(0)} ms after the start; ` +
    `${megabytes(loaded)}, ${megabytes(process.memoryUsage.rss())} once every object was parsed`,
)
await store.close()
