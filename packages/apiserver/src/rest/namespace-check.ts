/** State of the namespace that an object is written into. `terminating` refuses creates alone. */
export type NamespaceState = 'active' | 'terminating' | 'missing'

/** Absent check: every namespace counts as active (NamespaceLifecycle off). */
export type NamespaceCheck = (name: string) => NamespaceState
