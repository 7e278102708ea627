import type { NamespaceCheck } from '../rest/namespace-check.ts'
import type { Store } from '../store/store.ts'

/** Namespaces that can be used before anybody created them. */
const immortal = new Set(['default', 'kube-system', 'kube-public'])

export function storedNamespaceState(store: Store): NamespaceCheck {
  return (name) => {
    const namespace = store.get(`/core/namespaces/${name}`)?.value
    if (namespace === undefined) return immortal.has(name) ? 'active' : 'missing'
    const { phase } = (namespace.status ?? {}) as { phase?: string }
    const isTerminating =
      namespace.metadata.deletionTimestamp !== undefined || phase === 'Terminating'
    return isTerminating ? 'terminating' : 'active'
  }
}
