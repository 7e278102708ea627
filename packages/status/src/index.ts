export type {
  ConditionDeclaration,
  GateDeclaration,
  GateInput,
  ReasonsByGate,
} from './condition-declaration.ts'
export { unknownReasons } from './condition-declaration.ts'
export type { GateTypeOf, ReasonOf } from './condition-names.ts'
export { endOfRun } from './end-of-run.ts'
export type { ContractStatus, FoldedStatus } from './fold-gate.ts'
export { foldRunVerdicts } from './fold-run-verdicts.ts'
export { foldVerdicts } from './fold-verdicts.ts'
export { isFinished } from './is-finished.ts'
export type { LivingConditions } from './living-conditions.ts'
export { livingConditions } from './living-conditions.ts'
export type { Observation } from './next-condition.ts'
export type { ClockFields } from './next-status.ts'
export { nextStatus } from './next-status.ts'
export { foldNotReconciled, notReconciledReason } from './not-reconciled.ts'
export type { PhaseTable } from './phase-table.ts'
export { phaseTable } from './phase-table.ts'
export { rfc3339, rfc3339NotBefore } from './rfc3339.ts'
export type { RunConditions } from './run-conditions.ts'
export { runConditions } from './run-conditions.ts'
export type { RunPhase } from './run-phase.ts'
export { runPhase } from './run-phase.ts'
export type { Lifecycle } from './stamp-lifecycle.ts'
export { stampLifecycle } from './stamp-lifecycle.ts'
export type { Outcome, RunVerdict, Verdict } from './verdict.ts'
