import {
  type ConfigEffects,
  type Connection,
  isInCluster,
  kubeconfigPaths,
  loadInCluster,
  loadKubeconfig,
} from '@agents/kube'

/** The cluster that KUBECONFIG names; else the one that the process runs in; else that of the person at the machine. */
export function connect(effects: ConfigEffects): Promise<Connection> {
  const { environment } = effects
  if (!environment.KUBECONFIG && isInCluster(environment)) return loadInCluster(effects)
  return loadKubeconfig({ paths: kubeconfigPaths(environment) }, effects)
}
