import { group, kinds } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import { afterAll, beforeAll } from 'vitest'
import {
  connect,
  installKinds,
  type RunningServer,
  startEmbedded,
} from '../status-contract/server.ts'

/** A server that knows the kinds of the agents group, for all tests of a file. */
export function agentsServer(): () => KubeClient {
  let server: RunningServer
  let client: KubeClient
  beforeAll(async () => {
    server = await startEmbedded()
    client = connect(server.connection)
    await installKinds(
      client,
      kinds.filter((kind) => kind.group === group.agents),
    )
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })
  return () => client
}
