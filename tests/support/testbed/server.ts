import { startApiServer } from '@agents/apiserver'
import { type AnyKind, customResourceDefinition } from '@agents/crd'
import {
  bearer,
  type Connection,
  CustomResourceDefinitionKind,
  createKubeClient,
  isNotFound,
  type KubeClient,
  kindRef,
  NamespaceKind,
  staticCredentials,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { kubeconfigText } from './kubeconfig.ts'
import { startRealCluster } from './real-cluster.ts'
import { until } from './until.ts'

export type ServerName = 'embedded' | 'real'

export interface RunningServer {
  readonly name: string
  readonly connection: Connection
  /** The text of a kubeconfig for the administrator, or for whoever the token belongs to. */
  kubeconfig?(token?: string): string
  stop(): Promise<void>
}

export type StartServer = () => Promise<RunningServer>

export const startEmbedded: StartServer = async () => {
  const server = await startApiServer({
    logger: silentLogger,
  })
  const { url, caCertificate, adminToken } = server
  return {
    name: 'embedded',
    connection: connectionTo(url, caCertificate, adminToken),
    kubeconfig: (token = adminToken) => kubeconfigText({ url, caPem: caCertificate, token }),
    stop: () => server.stop(),
  }
}

export const startReal: StartServer = async () => {
  const cluster = await startRealCluster({ fsync: false })
  const { url, caPem, adminToken } = cluster
  return {
    name: 'real',
    connection: connectionTo(url, caPem, adminToken),
    kubeconfig: (token = adminToken) => kubeconfigText({ url, caPem, token }),
    stop: () => cluster.stop(),
  }
}

export const servers: Readonly<Record<ServerName, StartServer>> = {
  embedded: startEmbedded,
  real: startReal,
}

export function connectionTo(server: string, caPem: string, token: string): Connection {
  return {
    server,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(caPem) },
    credentials: staticCredentials({ authorization: bearer(token) }),
  }
}

/** Resolves when objects of the kinds can be created. */
export async function installKinds(client: KubeClient, kinds: readonly AnyKind[]): Promise<void> {
  await Promise.all(kinds.map((kind) => installKind(client, kind)))
}

async function installKind(client: KubeClient, kind: AnyKind): Promise<void> {
  const definition = customResourceDefinition(kind)
  const { name } = definition.metadata
  await client.create(CustomResourceDefinitionKind, definition)
  await until(async () => {
    const { status } = await client.get(CustomResourceDefinitionKind, { name })
    return status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')
  })
  // A server that reports the kind as established may need a moment until all its parts serve it.
  await until(() =>
    client.list(kindRef(kind)).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false
        throw error
      },
    ),
  )
}

export async function createNamespace(client: KubeClient, name: string): Promise<void> {
  await client.create(NamespaceKind, { metadata: { name } })
}

export function connect(connection: Connection): KubeClient {
  return createKubeClient(connection, { userAgent: 'status-contract/1.0' })
}
