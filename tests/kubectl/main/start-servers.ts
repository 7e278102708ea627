import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from '../../testbed/embedded-server.ts'
import { realClusterAvailable, startRealCluster } from '../../testbed/real-cluster.ts'
import type { Server } from '../server.ts'
import { tokens } from '../tokens.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly servers: { readonly embedded: Server; readonly real: Server } | undefined
  }
}

/** What the embedded server does behind the API; the real one must do no more, or they cannot say the same. */
const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'ttl-after-finished-controller',
  'clusterrole-aggregation-controller',
]

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const availability = await realClusterAvailable()
  if (!availability.available) {
    const line = '='.repeat(80)
    process.stderr.write(
      `\n${line}\nSKIPPED: kubectl is compared with the real kube-apiserver.\n${availability.reason}\n${line}\n\n`,
    )
    project.provide('servers', undefined)
    return undefined
  }
  const real = await startRealCluster({
    controllerManager: true,
    controllerManagerFlags: [`--controllers=${controllers.join(',')}`],
    tokens,
    fsync: false,
  })
  try {
    const embedded = await startEmbeddedServer({ tokens })
    project.provide('servers', { embedded: serverOf(embedded), real: serverOf(real) })
    return async () => {
      await Promise.all([embedded.stop(), real.stop()])
    }
  } catch (error) {
    await real.stop()
    throw error
  }
}

const serverOf = ({ url, caPem, adminToken }: Server): Server => ({ url, caPem, adminToken })
