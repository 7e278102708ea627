import type { Schema, ValidationRule } from '../../schema/schema.ts'
import { estimateCost } from '../estimate/estimate.ts'
import { type Environment, kubernetesEnvironment } from '../library/environment.ts'
import { compileExpression, type Program } from '../program/compile-expression.ts'
import { type SchemaType, structFields } from '../type/schema-type.ts'
import { optionalType } from '../type/type.ts'
import { resolveFieldPath } from './field-path.ts'

/** A rule of `x-kubernetes-validations` after compilation. */
export interface RuleProgram {
  readonly rule: ValidationRule
  /** Absent if the rule is empty or does not compile. */
  readonly program: Program | undefined
  readonly error: string | undefined
  readonly message: Program | undefined
  readonly messageError: string | undefined
  readonly usesOldSelf: boolean
  /** The estimated maximum cost. */
  readonly maxCost: number
  readonly messageMaxCost: number
  /** The path relative to the value, in the notation of field errors. */
  readonly fieldPath: string
}

/** Compiles the rules of one schema, both for checking a CRD and for validating objects. */
export function compileRulePrograms(schema: Schema, type: SchemaType): RuleProgram[] {
  const fields = structFields(type)
  const environment = (optional: boolean): Environment =>
    kubernetesEnvironment(
      new Map([
        ['self', type.type],
        ['oldSelf', optional ? optionalType(type.type) : type.type],
      ]),
      fields,
    )
  const plain = environment(false)
  const optional = environment(true)
  return (schema['x-kubernetes-validations'] ?? []).map((rule) =>
    compileRule(schema, type, rule, rule.optionalOldSelf === true ? optional : plain),
  )
}

const ruleVariables = ['self', 'oldSelf']

function compileRule(
  schema: Schema,
  type: SchemaType,
  rule: ValidationRule,
  environment: Environment,
): RuleProgram {
  const empty: RuleProgram = {
    rule,
    program: undefined,
    error: undefined,
    message: undefined,
    messageError: undefined,
    usesOldSelf: false,
    maxCost: 0,
    messageMaxCost: 0,
    fieldPath: '',
  }
  if (rule.rule.trim() === '') return empty
  const compilation = compileExpression(rule.rule, environment, ruleVariables)
  if ('error' in compilation) {
    const stage = compilation.stage === 'check' ? 'compilation' : 'program instantiation'
    const usesOldSelf = compilation.stage === 'plan' && rule.rule.includes('oldSelf')
    return { ...empty, usesOldSelf, error: `${stage} failed: ${compilation.error}` }
  }
  const { program } = compilation
  if (program.type.kind !== 'bool') {
    return { ...empty, error: 'cel expression must evaluate to a bool' }
  }
  const compiled: RuleProgram = {
    ...empty,
    program,
    usesOldSelf: program.checked.variables.has('oldSelf'),
    maxCost: estimateCost(program.checked, type).max,
  }
  const message = compileMessage(rule, type, environment)
  if (message.messageError !== undefined) return { ...compiled, ...message }
  const path = rule.fieldPath ? resolveFieldPath(rule.fieldPath, schema) : undefined
  const fieldPath = path !== undefined && 'path' in path ? path.path : ''
  return { ...compiled, ...message, fieldPath }
}

function compileMessage(
  rule: ValidationRule,
  type: SchemaType,
  environment: Environment,
): Pick<RuleProgram, 'message' | 'messageError' | 'messageMaxCost'> {
  const none = { message: undefined, messageError: undefined, messageMaxCost: 0 }
  if (!rule.messageExpression) return none
  const compilation = compileExpression(rule.messageExpression, environment, ruleVariables)
  if ('error' in compilation) {
    const stage = compilation.stage === 'check' ? 'compilation' : 'instantiation'
    return { ...none, messageError: `messageExpression ${stage} failed: ${compilation.error}` }
  }
  const { program } = compilation
  if (program.type.kind !== 'string') {
    return { ...none, messageError: 'messageExpression must evaluate to a string' }
  }
  return {
    message: program,
    messageError: undefined,
    messageMaxCost: estimateCost(program.checked, type).max,
  }
}
