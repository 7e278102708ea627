import { startApiServer } from '@agents/apiserver'
import { bearer, createKubeClient, type KubeClient, staticCredentials } from '@agents/kube'
import { silentLogger } from '@agents/log'

export interface TestCluster {
  readonly client: KubeClient
  stop(): Promise<void>
}

/** An embedded API server and a client of its administrator. */
export async function startTestCluster(): Promise<TestCluster> {
  const server = await startApiServer({ logger: silentLogger })
  const client = createKubeClient({
    server: server.url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
  return {
    client,
    stop: async () => {
      client.close()
      await server.stop()
    },
  }
}
