import { openStore, type StoreSettings } from '@agents/artifact-store'
import { addressOfGenerated, generatedContent } from './generated-content.ts'

/** A process that puts content until it is killed, and reports each that is acknowledged. */
const settings = JSON.parse(process.argv[2] ?? '') as StoreSettings
const round = process.argv[3] ?? ''
const store = openStore(settings)
// Small ones, one of a single part, and one of three.
const sizes = [1024, 100_000, 3 * 1024 * 1024, 20 * 1024 * 1024]

for (let index = 0; ; index += 1) {
  const sizeBytes = sizes[index % sizes.length] ?? 0
  const seed = `${round}/${index}`
  const address = await addressOfGenerated('kills', seed, sizeBytes)
  try {
    await store.put(address, generatedContent(seed, sizeBytes))
    process.stdout.write(`${address.digest} ${sizeBytes}\n`)
  } catch (error) {
    // The server is killed too: what is not acknowledged is sent again by a real sender.
    process.stderr.write(`${error}\n`)
  }
}
