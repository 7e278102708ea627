/** Reads addresses, which anybody can write. */
export function readObjectsSearch(search: Readonly<Record<string, unknown>>): {
  readonly namespace?: string
} {
  const { namespace } = search
  return typeof namespace === 'string' && namespace !== '' ? { namespace } : {}
}

type ObjectView = (typeof views)[number]

const views = ['conditions', 'references', 'events', 'yaml'] as const

export function readObjectSearch(search: Readonly<Record<string, unknown>>): {
  readonly view?: ObjectView
} {
  const { view } = search
  return views.includes(view as ObjectView) ? { view: view as ObjectView } : {}
}
