export type RunView = (typeof views)[number]

export interface RunPageSearch {
  /** If omitted, the first kind in which the name is found. */
  readonly kind?: string
  /** If omitted, the newest run of the name. */
  readonly uid?: string
  /** If omitted, the log. */
  readonly view?: RunView
  /** The line of the log, from 1. */
  readonly line?: number
}

const views = [
  'log',
  'graph',
  'task',
  'checks',
  'timeline',
  'artifacts',
  'references',
  'events',
  'yaml',
] as const

const uidPattern = /^[0-9a-f-]{36}$/

/** Reads an address, which anybody can write. */
export function readRunPageSearch(search: Readonly<Record<string, unknown>>): RunPageSearch {
  const { kind, uid, view, line } = search
  return {
    ...(typeof kind === 'string' && /^[A-Za-z]{1,63}$/.test(kind) && { kind }),
    ...(typeof uid === 'string' && uidPattern.test(uid) && { uid }),
    ...(views.includes(view as RunView) && { view: view as RunView }),
    ...(typeof line === 'number' && Number.isSafeInteger(line) && line > 0 && { line }),
  }
}
