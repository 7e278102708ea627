import type { Condition, ConditionStatus } from '@agents/kube'
import type { ConditionTypeOf } from './condition-words.ts'
import type { LivingConditions } from './living-conditions.ts'
import type { RunConditions } from './run-conditions.ts'

/** `True`, `not True`, or status and reason as in `Unknown/NotChecked`. */
export type Expectation = ConditionStatus | 'not True' | `${ConditionStatus}/${string}`

export interface PhaseRow<Type extends string = string, Phase extends string = string> {
  readonly phase: Phase
  /** All of it must hold. */
  readonly when: Readonly<Partial<Record<Type, Expectation>>>
  /** What the phase tells a person. */
  readonly doc: string
}

export interface ElseRow<Phase extends string = string> {
  readonly phase: Phase
  readonly doc: string
}

/** Reads the phase from the conditions, and from nothing else. */
export interface PhaseTable<Phase extends string> {
  (conditions: readonly Condition[]): Phase
  readonly rows: readonly (PhaseRow<string, Phase> | ElseRow<Phase>)[]
}

/** The phase is that of the first row that holds; the last row always does. A missing condition counts as Unknown/NotChecked. */
export function phaseTable<
  S extends LivingConditions | RunConditions,
  const Rows extends readonly [...PhaseRow<ConditionTypeOf<S>>[], ElseRow],
>(_set: S, rows: Rows): PhaseTable<Rows[number]['phase']> {
  type Phase = Rows[number]['phase']
  const table: readonly (PhaseRow<string, Phase> | ElseRow<Phase>)[] = rows
  const read = (conditions: readonly Condition[]): Phase => {
    const row = table.find((row) => !('when' in row) || holds(row.when, conditions))
    if (!row) throw new TypeError('the last row of a phase table has no condition')
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
