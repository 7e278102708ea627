import { appendAll } from '../../append-all.ts'
import type { FieldError } from '../../field-error/field-error.ts'
import { goQuote } from '../../go-text.ts'
import type { Schema, ValidationRule } from '../../schema/schema.ts'
import { maxRequestBytes, type SchemaType, schemaType } from '../type/schema-type.ts'
import { resolveFieldPath } from './field-path.ts'
import { forbidden, invalid, required, stringifyJson } from './rule-errors.ts'
import { compileRulePrograms, type RuleProgram } from './rule-program.ts'

/** The maximum estimated cost of one rule of a CRD, for all values that it applies to in one object. */
const staticRuleLimit = 10_000_000
/** The maximum estimated cost of all rules of a schema together. */
const staticTotalLimit = 100_000_000

/**
 * Checks the CEL rules in the schema of a custom resource. Returns the errors of kube-apiserver for the CRD. `path` is
 * that of the schema: `spec.versions[0].schema.openAPIV3Schema`.
 */
export function checkRules(schema: Schema, path: string): FieldError[] {
  const run: Run = { total: 0, expensive: [] }
  const location: Location = { path, cardinality: 1, uncorrelatable: undefined, root: true }
  const { schemaErrors, celErrors } = checkNode(schema, location, run)
  return [...schemaErrors, ...celErrors, ...checkTotal(run, path)]
}

interface Run {
  total: number
  /** The most expensive rules, at most four. */
  expensive: { path: string; cost: number }[]
}

interface Location {
  readonly path: string
  /** The number of such values that one object can have; undefined if unlimited. */
  readonly cardinality: number | undefined
  /** The enclosing list whose items cannot be correlated with those of the old object. */
  readonly uncorrelatable: string | undefined
  readonly root: boolean
}

interface Findings {
  readonly schemaErrors: FieldError[]
  readonly celErrors: FieldError[]
}

function checkNode(schema: Schema, location: Location, run: Run): Findings {
  const findings: Findings = { schemaErrors: [], celErrors: [] }
  for (const [child, childLocation] of children(schema, location)) {
    const found = checkNode(child, childLocation, run)
    appendAll(findings.schemaErrors, found.schemaErrors)
    appendAll(findings.celErrors, found.celErrors)
  }
  const rules = schema['x-kubernetes-validations'] ?? []
  if (rules.length === 0) return findings
  const at = `${location.path}${location.path === '' ? '' : '.'}x-kubernetes-validations`
  for (const [index, rule] of rules.entries()) {
    appendAll(findings.schemaErrors, checkRuleFields(rule, schema, `${at}[${index}]`))
  }
  // Errors in the schema would cause misleading CEL errors.
  if (findings.schemaErrors.length === 0) {
    appendAll(findings.celErrors, checkPrograms(schema, location, at, run))
  }
  return findings
}

function* children(schema: Schema, location: Location): Generator<[Schema, Location]> {
  const prefix = location.path === '' ? '' : `${location.path}.`
  const factor = maxElements(schema)
  const cardinality =
    location.cardinality === undefined || factor === undefined
      ? undefined
      : location.cardinality * factor
  const base = { cardinality, uncorrelatable: location.uncorrelatable, root: false }
  if (typeof schema.additionalProperties === 'object') {
    yield [schema.additionalProperties, { ...base, path: `${prefix}additionalProperties` }]
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield [property, { ...base, path: `${prefix}properties[${name}]` }]
  }
  if (schema.items !== undefined) {
    const correlatable = schema['x-kubernetes-list-type'] === 'map'
    const uncorrelatable = correlatable ? location.uncorrelatable : location.path
    yield [schema.items, { ...base, uncorrelatable, path: `${prefix}items` }]
  }
}

function maxElements(schema: Schema): number | undefined {
  if (schema.type === 'array') return schema.maxItems
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined
  return isMap ? schema.maxProperties : 1
}

const ruleReasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]

/** Checks a rule without compiling it. */
function checkRuleFields(rule: ValidationRule, schema: Schema, at: string): FieldError[] {
  const errors: FieldError[] = []
  const message = rule.message ?? ''
  const fieldPath = rule.fieldPath ?? ''
  if (rule.rule.trim() === '') errors.push(required(`${at}.rule`, 'rule is not specified'))
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${at}.message`, message, 'must be non-empty if specified'))
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalid(`${at}.message`, message, 'must not contain line breaks'))
  } else if (hasLineBreak(rule.rule.trim()) && message.trim() === '') {
    const detail = 'message must be specified if rule contains line breaks'
    errors.push(required(`${at}.message`, detail))
  }
  if (rule.messageExpression && rule.messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified'
    errors.push(required(`${at}.messageExpression`, detail))
  }
  if (rule.reason !== undefined && !ruleReasons.includes(rule.reason)) {
    errors.push(unsupportedReason(`${at}.reason`, rule.reason))
  }
  if (fieldPath === '') return errors
  const addError = (detail: string) => errors.push(invalid(`${at}.fieldPath`, fieldPath, detail))
  if (fieldPath.trim() === '') addError('must be non-empty if specified')
  if (hasLineBreak(fieldPath)) addError('must not contain line breaks')
  if ('error' in resolveFieldPath(fieldPath, schema)) addError('must be a valid path')
  return errors
}

function unsupportedReason(field: string, reason: string): FieldError {
  const supported = ruleReasons.map((name) => goQuote(name)).join(', ')
  const message = `Unsupported value: ${goQuote(reason)}: supported values: ${supported}`
  return { reason: 'FieldValueNotSupported', field, message }
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text)
}

function checkPrograms(schema: Schema, location: Location, at: string, run: Run): FieldError[] {
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const type = schemaType(schema, location.root || embedded)
  if (type === undefined) {
    const detail =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'
    return [{ reason: 'InternalError', field: at, message: `Internal error: ${detail}` }]
  }
  return compileRulePrograms(schema, type).flatMap((compiled, index) =>
    checkProgram(compiled, type, location, `${at}[${index}]`, run),
  )
}

function checkProgram(
  compiled: RuleProgram,
  type: SchemaType,
  location: Location,
  at: string,
  run: Run,
): FieldError[] {
  const errors: FieldError[] = []
  const { rule } = compiled
  const cardinality = location.cardinality ?? Math.floor(maxRequestBytes / (type.minSize + 1))
  const cost = compiled.maxCost * cardinality
  if (cost > staticRuleLimit) {
    errors.push(forbidden(`${at}.rule`, tooExpensive('estimated rule cost', cost, staticRuleLimit)))
  }
  observe(run, `${at}.rule`, cost)
  if (compiled.error !== undefined) {
    errors.push(invalidRule(`${at}.rule`, rule, compiled.error))
  }
  if (compiled.messageError !== undefined) {
    errors.push(invalidRule(`${at}.messageExpression`, rule, compiled.messageError))
  } else if (compiled.message !== undefined) {
    const messageCost = compiled.messageMaxCost
    if (messageCost > staticRuleLimit) {
      const what = 'estimated messageExpression cost'
      const detail = tooExpensive(what, messageCost, staticRuleLimit)
      errors.push(forbidden(`${at}.messageExpression`, detail))
    }
    observe(run, `${at}.messageExpression`, messageCost)
  }
  if (compiled.usesOldSelf) {
    if (location.uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${location.uncorrelatable}`
      errors.push(invalid(`${at}.rule`, rule.rule, detail))
    }
  } else if (rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule'
    errors.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, detail))
  }
  return errors
}

/** Formats the whole rule with the field names of upstream's internal type, as in its errors. */
function invalidRule(field: string, rule: ValidationRule, detail: string): FieldError {
  const formatted = stringifyJson({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  })
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${formatted}: ${detail}` }
}

function observe(run: Run, path: string, cost: number): void {
  run.total += cost
  if (cost < staticTotalLimit / 100) return
  run.expensive.push({ path, cost })
  run.expensive.sort((a, b) => b.cost - a.cost)
  run.expensive.splice(4)
}

function checkTotal(run: Run, path: string): FieldError[] {
  if (run.total <= staticTotalLimit) return []
  const contributed =
    'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
  return [
    ...run.expensive.map((rule) => forbidden(rule.path, contributed)),
    forbidden(path, tooExpensive(what, run.total, staticTotalLimit)),
  ]
}

function tooExpensive(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  let formatted = `${factor.toFixed(1)}x`
  if (factor > 100) formatted = 'more than 100x'
  else if (factor < 1.5) formatted = `${factor.toFixed(6)}x`
  return `${what} exceeds budget by factor of ${formatted} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
