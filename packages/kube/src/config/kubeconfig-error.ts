/** A kubeconfig, or the environment of a pod, that cannot be used. */
export class KubeconfigError extends Error {
  override name = 'KubeconfigError'
}
