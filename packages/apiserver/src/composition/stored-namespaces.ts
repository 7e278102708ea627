import { type Admission, noAdmission } from '../rest/admission.ts'
import type { NamespaceCheck } from '../rest/namespace-check.ts'
import { forbidden } from '../status/api-error.ts'
import type { Store } from '../store/store.ts'

/** Namespaces that can be used before they exist and cannot be deleted. */
const protectedNamespaces = new Set(['default', 'kube-system', 'kube-public'])

export function storedNamespaceState(store: Store): NamespaceCheck {
  return (name) => {
    const namespace = store.get(`/core/namespaces/${name}`)?.value
    if (namespace === undefined) return protectedNamespaces.has(name) ? 'active' : 'missing'
    const { phase } = (namespace.status ?? {}) as { phase?: string }
    const isTerminating =
      namespace.metadata.deletionTimestamp !== undefined || phase === 'Terminating'
    return isTerminating ? 'terminating' : 'active'
  }
}

export const namespaceProtection: Admission = {
  ...noAdmission,
  admit({ operation, resource, subresource, old, name: given }) {
    const name = old?.metadata.name ?? given
    if (operation !== 'DELETE' || subresource !== '') return
    if (resource.group !== '' || resource.plural !== 'namespaces' || !protectedNamespaces.has(name))
      return
    throw forbidden(resource, name, 'this namespace may not be deleted')
  },
}
