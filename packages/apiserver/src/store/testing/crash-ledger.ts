/** A line in which a writer reports a write. A null token is a delete. */
export type LedgerLine =
  | { readonly type: 'opened'; readonly revision: number }
  | { readonly type: 'begun'; readonly key: string; readonly token: string | null }
  | { readonly type: 'acknowledged'; readonly key: string; readonly revision: number }

/** The expected content of the store after the writer was killed. */
export interface Ledger {
  /** Valid tokens by key: that of the last acknowledged write, and that of a pending one. */
  readonly allowed: Map<string, Set<string | null>>
  /** The highest acknowledged revision. */
  revision: number
  acknowledged: number
  /** Messages about revisions that decreased. */
  readonly faults: string[]
}

export function newLedger(): Ledger {
  return { allowed: new Map(), revision: 0, acknowledged: 0, faults: [] }
}

/** Adds the output of one run of the writer. Ignores an incomplete last line. */
export function enterRun(ledger: Ledger, output: string): void {
  const begun = new Map<string, string | null>()
  for (const text of output.split('\n').slice(0, -1)) {
    const line = JSON.parse(text) as LedgerLine
    if (line.type === 'begun') {
      begun.set(line.key, line.token)
      allowedFor(ledger, line.key).add(line.token)
      continue
    }
    if (line.type === 'opened') {
      if (line.revision < ledger.revision) {
        ledger.faults.push(
          `opened at ${line.revision} after ${ledger.revision} had been acknowledged`,
        )
      }
      continue
    }
    ledger.acknowledged++
    ledger.revision = Math.max(ledger.revision, line.revision)
    ledger.allowed.set(line.key, new Set([begun.get(line.key) ?? null]))
  }
}

/**
 * Returns messages about differences between store and ledger, and then sets the ledger to what the store holds.
 */
export function compare(ledger: Ledger, found: ReadonlyMap<string, string>): string[] {
  const faults = ledger.faults.splice(0)
  for (const key of new Set([...ledger.allowed.keys(), ...found.keys()])) {
    const token = found.get(key) ?? null
    const allowed = allowedFor(ledger, key)
    if (!allowed.has(token))
      faults.push(`${key} is ${token}, should be ${[...allowed].join(' or ')}`)
    ledger.allowed.set(key, new Set([token]))
  }
  return faults
}

// A key that has never been written is absent.
function allowedFor(ledger: Ledger, key: string): Set<string | null> {
  const allowed = ledger.allowed.get(key) ?? new Set([null])
  ledger.allowed.set(key, allowed)
  return allowed
}
