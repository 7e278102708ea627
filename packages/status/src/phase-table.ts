import type { Condition, ConditionStatus } from '@agents/kube'
import type { ConditionTypeOf } from './condition-names.ts'
import type { LivingConditions } from './living-conditions.ts'
import type { RunConditions } from './run-conditions.ts'

/** `True`, `not True`, or status and reason as in `Unknown/NotChecked`. */
type Expectation = ConditionStatus | 'not True' | `${ConditionStatus}/${string}`

interface PhaseRow<Type extends string = string, Phase extends string = string> {
  readonly phase: Phase
  /** All expectations must hold. */
  readonly when: Readonly<Partial<Record<Type, Expectation>>>
  /** What the phase means, for the documentation. */
  readonly doc: string
}

interface ElseRow<Phase extends string = string> {
  readonly phase: Phase
  readonly doc: string
}

/** Derives the phase from the conditions only. */
export interface PhaseTable<Phase extends string> {
  (conditions: readonly Condition[]): Phase
  readonly rows: readonly (PhaseRow<string, Phase> | ElseRow<Phase>)[]
}

/**
 * Builds a phase table. The phase is that of the first row whose expectations hold; the last row has none. A missing
 * condition counts as Unknown/NotChecked.
 */
export function phaseTable<
  S extends LivingConditions | RunConditions,
  const Rows extends readonly [...PhaseRow<ConditionTypeOf<S>>[], ElseRow],
>(_set: S, rows: Rows): PhaseTable<Rows[number]['phase']> {
  type Phase = Rows[number]['phase']
  const table: readonly (PhaseRow<string, Phase> | ElseRow<Phase>)[] = rows
  const read = (conditions: readonly Condition[]): Phase => {
    const row = table.find((row) => !('when' in row) || holds(row.when, conditions))
    if (!row) throw new TypeError('the last row of a phase table must not have expectations')
    return row.phase
  }
  return Object.assign(read, { rows: table })
}

function holds(when: PhaseRow['when'], conditions: readonly Condition[]): boolean {
  return Object.entries(when).every(([type, expected]) => {
    const condition = conditions.find((candidate) => candidate.type === type)
    const status = condition?.status ?? 'Unknown'
    if (expected === 'not True') return status !== 'True'
    return expected === status || expected === `${status}/${condition?.reason ?? 'NotChecked'}`
  })
}
