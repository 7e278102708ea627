export type {
  ConditionDeclaration,
  GateDeclaration,
  GateInput,
  ReasonsByGate,
  ReasonsOf,
  UnknownReason,
} from './condition-declaration.ts'
export { unknownReasons } from './condition-declaration.ts'
export type { LivingConditions } from './living-conditions.ts'
export { livingConditions } from './living-conditions.ts'
export type { RunConditions } from './run-conditions.ts'
export { runConditions } from './run-conditions.ts'
export type { ConditionUpdate, Observation } from './set-condition.ts'
export { setCondition } from './set-condition.ts'
export type { Outcome, RunVerdict, Threw, Verdict } from './verdict.ts'
