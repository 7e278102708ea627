import {
  type Connection,
  createKubeClient,
  type KubeClient,
  loadInCluster,
  loadKubeconfig,
  systemEffects,
} from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { type ChosenKubeconfig, chooseKubeconfig } from './choose-kubeconfig.ts'
import type { ClusterValues } from './cluster-options.ts'

export interface Cluster {
  readonly client: KubeClient
  readonly connection: Connection
  /** Namespace of objects that are named without one. */
  readonly namespace: string
  readonly server: string
  readonly kubeconfig: ChosenKubeconfig
}

/** The default namespace of the platform. */
export const platformNamespace = 'agents'

export async function openCluster(
  values: ClusterValues,
  context: CommandContext,
): Promise<Cluster> {
  const kubeconfig = await chooseKubeconfig(values, context)
  const effects = systemEffects(context.environment)
  const { paths } = kubeconfig
  const connection =
    paths.length === 0
      ? await loadInCluster(effects)
      : await loadKubeconfig({ paths }, effects, { context: values.context })
  const client = createKubeClient(connection, {
    userAgent: `agentctl/${context.version}`,
    fieldManager: 'agentctl',
    // A user at a terminal prefers a quick error to many retries.
    retry: { retries: 1 },
    onWarning: (text) => context.stderr.write(`${context.stderr.style.warn('warning:')} ${text}\n`),
  })
  const namespace =
    values.namespace ?? (context.environment.AGENTCTL_NAMESPACE || ofContext(connection.namespace))
  return { client, connection, namespace, server: connection.server, kubeconfig }
}

/** A context without a namespace means `default`, where no agents are. */
function ofContext(namespace: string): string {
  return namespace === 'default' ? platformNamespace : namespace
}

/** Opens a cluster for as long as the work takes. */
export async function withCluster<T>(
  values: ClusterValues,
  context: CommandContext,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await openCluster(values, context)
  try {
    return await work(cluster)
  } finally {
    cluster.client.close()
  }
}
