import type { ServerName } from '../../support/run-platform/run-platform.ts'
import { realClusterAvailable } from '../../support/testbed/real-cluster.ts'

const { available } = await realClusterAvailable()

/** The servers that can be started here. */
export const servers: readonly ServerName[] = available ? ['embedded', 'real'] : ['embedded']
