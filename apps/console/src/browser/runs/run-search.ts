import type { RunFilter } from '@agents/client'

/** The filters of the list as they are in its address. */
export interface RunSearch {
  readonly namespace?: string
  readonly kind?: string
  readonly phase?: string
  readonly agent?: string
  readonly label?: string
}

const names = ['namespace', 'kind', 'phase', 'agent', 'label'] as const

/** Reads an address, which anybody can write. */
export function readRunSearch(search: Readonly<Record<string, unknown>>): RunSearch {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name]
      const text = typeof value === 'number' ? String(value) : value
      return typeof text === 'string' && text !== '' ? [[name, text]] : []
    }),
  )
}

/** What the API is asked for. Labels are separated by commas. */
export function filterOf({ label, ...rest }: RunSearch): RunFilter {
  const labels = (label ?? '').split(',').flatMap((each) => each.trim() || [])
  return labels.length === 0 ? rest : { ...rest, label: labels }
}
