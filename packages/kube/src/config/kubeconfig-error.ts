/** A kubeconfig, or the environment of a pod, that says nothing usable. */
export class KubeconfigError extends Error {
  override name = 'KubeconfigError'
}
