export type {
  AdmissionPolicy,
  NamedExpression,
  PolicyValidation,
} from './admission/admission-policy.ts'
export {
  deniesIf,
  deniesUnless,
  platformAccountsPlaceholder,
  statusWritesOf,
  writesOf,
} from './admission/admission-policy.ts'
export { celDecides, celList, celString } from './admission/cel-text.ts'
export type { PolicyInstallation, PolicyObject } from './admission/install-policies.ts'
export { policyObjects } from './admission/install-policies.ts'
export type { SecretAccess } from './admission/secret-access.ts'
export { secretAccessPolicy } from './admission/secret-access.ts'
export type { AdmissionRequest } from './cel/admission/admission-input.ts'
export type { JsonPatchOperation } from './cel/admission/mutation-result.ts'
export { resolveReferences } from './cel/admission/open-api-reference.ts'
export type {
  PolicyCompiler,
  PolicyDeclarations,
  PolicyExpression,
  PolicyExpressionError,
} from './cel/admission/policy-compiler.ts'
export { createPolicyCompiler } from './cel/admission/policy-compiler.ts'
export type { PolicyEvaluation, PolicyInput } from './cel/admission/policy-evaluation.ts'
export {
  matchConditionsBudget,
  policyBudget,
  policyInput,
  startPolicyEvaluation,
  withObject,
  withoutNamespace,
} from './cel/admission/policy-evaluation.ts'
export type { CheckedPolicy, ExpressionWarning } from './cel/admission/policy-type-check.ts'
export { checkPolicyTypes, maxTypeCheckedKinds } from './cel/admission/policy-type-check.ts'
export type {
  AuthorizationAttributes,
  AuthorizationUser,
  PolicyAuthorizer,
} from './cel/library/authorizer/policy-authorizer.ts'
export type { PredicateVariables } from './cel/predicate/predicate.ts'
export { compilePredicate } from './cel/predicate/predicate.ts'
export { checkRules } from './cel/rules/check-rules.ts'
export type { CompiledRules } from './cel/rules/rules.ts'
export { compileRules } from './cel/rules/rules.ts'
export { compileSchema } from './compiled-schema/compile-schema.ts'
export { checkCustomResourceDefinition } from './definition/check-definition.ts'
export { checkCustomResourceDefinitionUpdate } from './definition/check-update.ts'
export { readDefinition } from './definition/read-definition.ts'
export type { FieldError } from './field-error/field-error.ts'
export { formatFieldError } from './field-error/field-error.ts'
export { unrecognizedFormats } from './format/unrecognized-formats.ts'
export type { Typed } from './kind/build-schema.ts'
export {
  atomic,
  boolean,
  freeObject,
  freeValue,
  integer,
  intOrString,
  list,
  map,
  number,
  object,
  oneOfStrings,
  optional,
  string,
  timestamp,
  withDefault,
  withRules,
} from './kind/build-schema.ts'
export type { CustomResourceDefinition } from './kind/custom-resource-definition.ts'
export { customResourceDefinition } from './kind/custom-resource-definition.ts'
export type { AnyKind, ObjectOf, PrinterColumn } from './kind/define-kind.ts'
export { defineKind } from './kind/define-kind.ts'
export { statusObject } from './kind/status-schema.ts'
export { exceedsDepth } from './schema/nesting.ts'
export type { Json, Schema, ValidationRule } from './schema/schema.ts'
export { checkStructural } from './structural/check-structural.ts'
export { checkWorkLimit, limitWork, WorkLimitExceeded } from './work-limit.ts'
