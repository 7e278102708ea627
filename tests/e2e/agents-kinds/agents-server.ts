import { kinds, unreconciledKinds } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import { afterAll, beforeAll } from 'vitest'
import {
  connect,
  installKinds,
  type RunningServer,
  type StartServer,
  startEmbedded,
} from '../../support/testbed/server.ts'

/** A server with the kinds of the agents group, shared by all tests of a file. */
export function agentsServer(start: StartServer = startEmbedded): () => KubeClient {
  let server: RunningServer
  let client: KubeClient
  beforeAll(async () => {
    server = await start()
    client = connect(server.connection)
    await installKinds(
      client,
      kinds.filter((kind) => !unreconciledKinds.includes(kind)),
    )
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })
  return () => client
}
