import { isFull } from '../tier.ts'
import { realClusterAvailable } from './real-cluster.ts'
import type { ServerName } from './server.ts'

/** The servers that a test runs on: the gate takes the embedded one, full the real one too, where it can be started. */
export async function serversOfTier(): Promise<readonly ServerName[]> {
  return isFull && (await realClusterAvailable()).available ? ['embedded', 'real'] : ['embedded']
}
