import type { AuditFilter } from '@agents/client'

const names = ['namespace', 'actor', 'action', 'outcome'] as const

/** Reads an address, which anybody can write. */
export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditFilter {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}
