import type { DeliveryFilter } from '@agents/client'

const names = ['namespace', 'source', 'state'] as const

/** Reads an address, which anybody can write. */
export function readInboxSearch(search: Readonly<Record<string, unknown>>): DeliveryFilter {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}
