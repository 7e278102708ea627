import { useSyncExternalStore } from 'react'
import { type ColumnId, readColumns, usual } from './columns.ts'

const key = 'agents-console-columns'
const listeners = new Set<() => void>()

/** A browser may forbid storage: then the choice lasts as long as the page. */
let chosen: readonly ColumnId[] = readColumns(stored())

function stored(): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

export function chooseColumns(ids: readonly ColumnId[]): void {
  const text = readColumns([...ids, 'name'].join()).join()
  chosen = readColumns(text)
  for (const listener of listeners) listener()
  try {
    if (text === usual.join()) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // Storage is forbidden or full.
  }
}

export function useColumns(): readonly ColumnId[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => chosen,
  )
}
