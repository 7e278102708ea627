import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { helmPath } from '@agents/chart-tools'
import { withCheckout } from './surface/checkout.ts'
import { collectSurface } from './surface/collect-surface.ts'
import { differences } from './surface/differences.ts'
import { sortKeys } from './surface/surface.ts'

/**
 * `npm run surface` prints the public surface of the checkout as JSON: everything that users, clusters, dashboards
 * and pipelines depend on. With `--against REF` it compares the checkout with a Git ref, lists the differences, and
 * exits 1 if there are any. Helm comes from HELM_BIN, or from npm.
 */

const { values } = parseArgs({ options: { against: { type: 'string' } } })
const root = join(import.meta.dirname, '..')
const helm = await helmPath(process.env.HELM_BIN)

if (values.against === undefined) {
  console.log(JSON.stringify(sortKeys(await collectSurface(root, helm)), null, 2))
} else {
  await compareWith(values.against)
}

async function compareWith(ref: string): Promise<void> {
  const before = await withCheckout(root, ref, (folder) => collectSurface(folder, helm))
  const found = differences(before, await collectSurface(root, helm))
  for (const line of found) console.log(line)
  console.log(
    found.length === 0
      ? `surface: same as ${ref}`
      : `surface: ${found.length} differences from ${ref}`,
  )
  process.exitCode = found.length === 0 ? 0 : 1
}
