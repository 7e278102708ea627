/** Reads addresses, which anybody can write. */
export function readObjectsSearch(search: Readonly<Record<string, unknown>>): {
  readonly namespace?: string
} {
  const { namespace } = search
  return typeof namespace === 'string' && namespace !== '' ? { namespace } : {}
}

export function readObjectSearch(search: Readonly<Record<string, unknown>>): {
  readonly view?: 'conditions' | 'yaml'
} {
  const { view } = search
  return view === 'conditions' || view === 'yaml' ? { view } : {}
}
