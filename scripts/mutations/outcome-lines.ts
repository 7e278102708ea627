import { clock } from '../test/durations.ts'
import type { Outcome } from './find-fault.ts'

interface Result {
  readonly name: string
  readonly outcome: Outcome
  readonly seconds: number
}

const shown: Readonly<Record<Outcome['kind'], string>> = {
  gate: 'found by the gate',
  full: 'FOUND ONLY BY FULL',
  'not found': 'NOT FOUND',
  unclear: 'UNCLEAR, these tests fail without it',
}

/** The table, how many were found, and as last line how many the gate has found and has not. */
export function outcomeLines(results: readonly Result[]): string[] {
  const width = Math.max(...results.map(({ name }) => name.length))
  const rows = results.map(({ name, outcome, seconds }) => {
    const by = 'by' in outcome ? `: ${outcome.by}` : ''
    return `${clock(seconds).padStart(6)}  ${name.padEnd(width)}  ${shown[outcome.kind]}${by}`
  })
  const count = (...kinds: Outcome['kind'][]) =>
    results.filter(({ outcome }) => kinds.includes(outcome.kind)).length
  const byGate = count('gate')
  const found = `${byGate} of ${results.length} found by the gate, ${count('gate', 'full')} by full`
  return [...rows, found, `${byGate} passed, ${results.length - byGate} failed`]
}
