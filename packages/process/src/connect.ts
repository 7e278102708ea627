import {
  type ConfigEffects,
  type Connection,
  isInCluster,
  kubeconfigPaths,
  loadInCluster,
  loadKubeconfig,
} from '@agents/kube'

/** Connects to the cluster of KUBECONFIG, else to the cluster that the pod runs in, else to that of ~/.kube/config. */
export function connect(effects: ConfigEffects): Promise<Connection> {
  const { environment } = effects
  if (!environment.KUBECONFIG && isInCluster(environment)) return loadInCluster(effects)
  return loadKubeconfig({ paths: kubeconfigPaths(environment) }, effects)
}
