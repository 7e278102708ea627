export type {
  ConditionDeclaration,
  GateDeclaration,
  GateInput,
  ReasonsByGate,
  ReasonsOf,
  UnknownReason,
} from './condition-declaration.ts'
export { unknownReasons } from './condition-declaration.ts'
export type { ConditionTypeOf, GateTypeOf, ReasonOf, VerdictOf } from './condition-words.ts'
export type { ContractStatus, FoldedStatus } from './fold-gate.ts'
export { foldRunVerdicts } from './fold-run-verdicts.ts'
export { foldVerdicts } from './fold-verdicts.ts'
export { isFinished } from './is-finished.ts'
export type { LivingConditions } from './living-conditions.ts'
export { livingConditions } from './living-conditions.ts'
export type { ClockFields } from './next-status.ts'
export { contractClock, nextStatus, settled } from './next-status.ts'
export type {
  ElseRow,
  Expectation,
  PhaseRow,
  PhaseTable,
} from './phase-table.ts'
export { phaseTable } from './phase-table.ts'
export { rfc3339 } from './rfc3339.ts'
export type { RunConditions } from './run-conditions.ts'
export { runConditions } from './run-conditions.ts'
export type { RunPhase } from './run-phase.ts'
export { runPhase } from './run-phase.ts'
export type { ConditionUpdate, Observation } from './set-condition.ts'
export { setCondition } from './set-condition.ts'
export type { Lifecycle } from './stamp-lifecycle.ts'
export { stampLifecycle } from './stamp-lifecycle.ts'
export type { Outcome, RunVerdict, Threw, Verdict } from './verdict.ts'
