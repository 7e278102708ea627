import { forbidden } from '../endpoints/api-error.ts'
import { type Admission, noAdmission } from '../rest/admission.ts'
import type { NamespaceCheck } from '../rest/namespace-check.ts'
import type { Store } from '../store/store.ts'

/** Namespaces that can be used before anybody created them, and that nobody can delete. */
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

export const namespaceProtection: Admission = {
  ...noAdmission,
  admit({ operation, resource, subresource, name }) {
    if (operation !== 'DELETE' || subresource !== '') return
    if (resource.group !== '' || resource.plural !== 'namespaces' || !immortal.has(name)) return
    throw forbidden(resource, name, 'this namespace may not be deleted')
  },
}
