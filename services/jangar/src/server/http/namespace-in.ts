/** The name of the object that a query or a body is about. */
export function nameIn(given: unknown): string | undefined {
  const { name } = (given ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' ? name : undefined
}

/** The namespace that a query or a body names, such as that which starts a run. */
export function namespaceIn(given: unknown): string | undefined {
  const { namespace } = (given ?? {}) as { readonly namespace?: unknown }
  return typeof namespace === 'string' ? namespace : undefined
}
