/** The object that a path names, with its kind if the path has one: `agents.agents.proompteng.ai/x`. */
export function objectIn(path: Readonly<Record<string, string>>): string | undefined {
  const { kind, name, delivery } = path
  if (name === undefined) return delivery
  return kind === undefined ? name : `${kind}/${name}`
}

interface Given {
  readonly name?: unknown
  readonly namespace?: unknown
  /** `name`, or `namespace/name`. */
  readonly memoryRef?: unknown
}

/** The name of the object that a query or a body is about. */
export function nameIn(given: unknown): string | undefined {
  const { name, memoryRef } = (given ?? {}) as Given
  if (typeof name === 'string') return name
  return typeof memoryRef === 'string' ? memoryRef.split('/').at(-1) : undefined
}

/** The namespace that a query or a body names, such as that which starts a run. */
export function namespaceIn(given: unknown): string | undefined {
  const { namespace, memoryRef } = (given ?? {}) as Given
  if (typeof namespace === 'string') return namespace
  return typeof memoryRef === 'string' && memoryRef.includes('/')
    ? memoryRef.split('/')[0]
    : undefined
}
