import { kinds, tool, toolRun, unreconciledKinds } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import { afterAll, beforeAll } from 'vitest'
import {
  connect,
  installKinds,
  type RunningServer,
  type StartServer,
  startEmbedded,
} from '../../support/testbed/server.ts'

/** Kinds that others refer to or create, with a controller or without. */
const referred = [tool, toolRun]

/** A server with the kinds of the agents group, shared by all tests of a file. */
export function agentsServer(start: StartServer = startEmbedded): () => KubeClient {
  let server: RunningServer
  let client: KubeClient
  beforeAll(async () => {
    server = await start()
    client = connect(server.connection)
    const reconciled = kinds.filter((kind) => !unreconciledKinds.includes(kind))
    await installKinds(client, [...new Set([...reconciled, ...referred])])
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })
  return () => client
}
