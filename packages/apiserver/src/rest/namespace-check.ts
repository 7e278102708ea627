/** State of the namespace of a written object. In a `terminating` namespace only creates are rejected. */
type NamespaceState = 'active' | 'terminating' | 'missing'

/** If omitted, every namespace counts as active (NamespaceLifecycle is disabled). */
export type NamespaceCheck = (name: string) => NamespaceState
