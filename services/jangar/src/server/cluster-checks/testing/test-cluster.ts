import { bearer, createKubeClient, type KubeClient, staticCredentials } from '@agents/kube'
import { type Logger, silentLogger } from '@agents/log'

/** `startApiServer`, which only tests may import here. */
type StartCluster = (options: { readonly logger: Logger }) => Promise<{
  readonly url: string
  readonly caCertificate: string
  readonly adminToken: string
  stop(): Promise<void>
}>

interface TestCluster {
  readonly client: KubeClient
  stop(): Promise<void>
}

/** An embedded API server and a client of its administrator. */
export async function startTestCluster(start: StartCluster): Promise<TestCluster> {
  const server = await start({ logger: silentLogger })
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
