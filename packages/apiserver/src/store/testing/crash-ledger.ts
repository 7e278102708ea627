/** What a writer says about its writes; a token of null is a delete. */
export type LedgerLine =
  | { readonly type: 'opened'; readonly revision: number }
  | { readonly type: 'begun'; readonly key: string; readonly token: string | null }
  | { readonly type: 'acknowledged'; readonly key: string; readonly revision: number }

/** What may be found in the store after the writer was killed. */
export interface Ledger {
  /** Per key the tokens that are right: that of the last acknowledged write, and of one that was under way. */
  readonly allowed: Map<string, Set<string | null>>
  /** The highest revision that anybody was told. */
  revision: number
  acknowledged: number
  /** Sentences about revisions that went backwards. */
  readonly faults: string[]
}

export function newLedger(): Ledger {
  return { allowed: new Map(), revision: 0, acknowledged: 0, faults: [] }
}

/** Enters what one run of the writer said. A last line that was cut off is left out. */
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

/** Sentences about what the store holds and should not, or the other way round. Then takes what was found for settled. */
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

// A key that nobody has written to is absent.
function allowedFor(ledger: Ledger, key: string): Set<string | null> {
  const allowed = ledger.allowed.get(key) ?? new Set([null])
  ledger.allowed.set(key, allowed)
  return allowed
}
