import { describe, test } from 'vitest'
import { realClusterAvailable } from '../../support/testbed/real-cluster.ts'
import { isFull } from '../../support/tier.ts'
import { sweepEverything } from './full-sweep.ts'

const { available } = await realClusterAvailable()

// Only root can run the containers of the local node as different users.
describe.skipIf(process.getuid?.() !== 0)('Secrets of a whole platform', () => {
  test('are in nothing that it writes or shows', () => sweepEverything('embedded'), 300_000)

  test.skipIf(!available || !isFull)(
    'are in nothing that it writes or shows on a real kube-apiserver',
    () => sweepEverything('real'),
    300_000,
  )
})
