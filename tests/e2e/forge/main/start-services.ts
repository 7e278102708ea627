import { env } from 'node:process'
import type { TestProject } from 'vitest/node'
import { serveCalls } from '../services/call.ts'
import { type ServiceAddresses, startServices } from '../services/services.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where no suite has started them, as for soak tests. */
    readonly forge: { readonly addresses: ServiceAddresses; readonly callUrl: string } | undefined
  }
}

/** Starts what all files of the suite share. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = await startServices(env)
  const server = await serveCalls(services.calls)
  project.provide('forge', { addresses: services.addresses, callUrl: server.url })
  return async () => {
    server.close()
    await services.stop()
  }
}
