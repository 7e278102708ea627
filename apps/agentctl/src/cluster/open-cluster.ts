import {
  createKubeClient,
  type KubeClient,
  loadInCluster,
  loadKubeconfig,
  systemEffects,
} from '@agents/kube'
import type { World } from '../cli/world.ts'
import { type ChosenKubeconfig, chooseKubeconfig } from './choose-kubeconfig.ts'
import type { ClusterValues } from './cluster-options.ts'

export interface Cluster {
  readonly client: KubeClient
  /** Where names without a namespace are looked for. */
  readonly namespace: string
  readonly server: string
  readonly kubeconfig: ChosenKubeconfig
}

/** Where the platform lives unless somebody says otherwise. */
export const platformNamespace = 'agents'

export async function openCluster(values: ClusterValues, world: World): Promise<Cluster> {
  const kubeconfig = await chooseKubeconfig(values, world)
  const effects = systemEffects(world.environment)
  const { paths } = kubeconfig
  const connection =
    paths.length === 0
      ? await loadInCluster(effects)
      : await loadKubeconfig({ paths }, effects, { context: values.context })
  const client = createKubeClient(connection, {
    userAgent: `agentctl/${world.version}`,
    fieldManager: 'agentctl',
    // Who waits at a terminal would rather know now.
    retry: { retries: 1 },
    onWarning: (text) => world.stderr.write(`${world.stderr.style.warn('warning:')} ${text}\n`),
  })
  const namespace =
    values.namespace ?? (world.environment.AGENTCTL_NAMESPACE || ofContext(connection.namespace))
  return { client, namespace, server: connection.server, kubeconfig }
}

/** A context that names no namespace is as good as one that names `default`, where no agents are. */
function ofContext(namespace: string): string {
  return namespace === 'default' ? platformNamespace : namespace
}

/** Opens a cluster for as long as the work takes. */
export async function withCluster<T>(
  values: ClusterValues,
  world: World,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await openCluster(values, world)
  try {
    return await work(cluster)
  } finally {
    cluster.client.close()
  }
}
