import { isJsonObject } from '../../schema/json-value.ts'
import type { Json } from '../../schema/schema.ts'
import { authorizerKind, resourceCheckKind } from '../library/authorizer/authorizer-values.ts'
import type { Program } from '../program/compile-expression.ts'
import { unescapeProperty } from '../type/property-name.ts'
import { CelError, type OpaqueKind, type Value } from '../value/value.ts'
import { type AdmissionInput, namespaceJson, requestJson } from './admission-input.ts'
import { dynamicValue } from './dynamic-value.ts'
import { type Conversion, toApplyConfiguration, toJsonPatch } from './mutation-result.ts'
import {
  type PolicyCompiler,
  type PolicyExpression,
  type PolicyResultKind,
  type PolicyResults,
  policyVariables,
} from './policy-compiler.ts'

/** The cost budget of all match conditions of a policy, for one binding. */
export const matchConditionsBudget = 2_500_000
/**
 * The cost budget of the validations of a policy with their messages, of its audit annotations, and of each mutation.
 */
export const policyBudget = 10_000_000
/** The cost limit of one expression or variable. */
const expressionLimit = 1_000_000

type PolicyOutcome<Result> =
  | { readonly kind: 'value'; readonly value: Result }
  /** This expression failed; the others may still be evaluated. */
  | { readonly kind: 'error'; readonly error: string }
  /** The budget is exhausted: this is the outcome of all expressions that share it. */
  | { readonly kind: 'stopped'; readonly error: string }

/**
 * The values of an AdmissionInput. Several evaluations can share them, so that what one has converted is there for the
 * others. The JSON must not change meanwhile.
 */
export interface PolicyInput {
  /** In slot order, without `variables`. */
  readonly values: readonly (Value | undefined)[]
}

/**
 * The evaluation of expressions that belong together (the match conditions of a policy, its validations, its messages,
 * its audit annotations, or one mutation) for one request and one binding. They share a budget, and the variables that
 * they use are evaluated once.
 *
 *     const evaluation = startPolicyEvaluation(compiler, policyInput(input), policyBudget)
 *     const outcome = evaluation.evaluate(validation)
 *     if (outcome.kind === 'value' && !outcome.value) deny(…)
 *
 * Messages use the remaining budget of the validations, `evaluation.remaining`, and an input without `authorizer`.
 */
export interface PolicyEvaluation {
  /** The remaining budget; negative if it is exhausted. */
  readonly remaining: number
  evaluate<Kind extends PolicyResultKind>(
    expression: PolicyExpression<Kind>,
  ): PolicyOutcome<PolicyResults[Kind]>
}

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

export function startPolicyEvaluation(
  compiler: PolicyCompiler,
  input: PolicyInput,
  budget: number,
): PolicyEvaluation {
  return new Evaluation(compiler, input, budget)
}

/** A class, since several are created for each write: an object with functions of its own takes longer. */
class Evaluation implements PolicyEvaluation {
  remaining: number
  readonly #state: VariableState

  constructor(compiler: PolicyCompiler, input: PolicyInput, budget: number) {
    this.remaining = budget
    const state: VariableState = { compiler, values: [], known: undefined, cost: 0 }
    state.values = input.values.slice()
    state.values.push({ kind: 'opaque', type: variablesKind, content: state })
    this.#state = state
  }

  evaluate<Kind extends PolicyResultKind>(
    expression: PolicyExpression<Kind>,
  ): PolicyOutcome<PolicyResults[Kind]> {
    if (expression.program === undefined) {
      const error = `compilation error: ${expression.error?.detail ?? ''}`
      return { kind: 'error', error }
    }
    const state = this.#state
    const { value, cost } = expression.program.evaluate(state.values, expressionLimit)
    const total = cost + state.cost
    state.cost = 0
    if (total > this.remaining) {
      this.remaining = -1
      return { kind: 'stopped', error: outOfBudget }
    }
    this.remaining -= total
    if (value instanceof CelError) {
      const error = `expression '${expression.source}' resulted in error: ${value.message}`
      return { kind: 'error', error }
    }
    const conversion = convertResult(expression.result, value)
    if ('error' in conversion) return { kind: 'error', error: conversion.error }
    return { kind: 'value', value: conversion.value as PolicyResults[Kind] }
  }
}

function convertResult(kind: PolicyResultKind, value: Value): Conversion<unknown> {
  switch (kind) {
    case 'applyConfiguration':
      return toApplyConfiguration(value)
    case 'jsonPatch':
      return toJsonPatch(value)
    default:
      // The checker has verified that the value has the type of the result kind.
      return { value }
  }
}

export function policyInput(input: AdmissionInput): PolicyInput {
  const { authorizer, request } = input
  const user = request.userInfo
  const resource = request.requestResource
  const values = [
    dynamicValue(input.object),
    dynamicValue(input.oldObject),
    dynamicValue(requestJson(request)),
    namespaceValue(input.namespaceObject),
    dynamicValue(input.params ?? null),
    authorizer && authorizerKind.of({ authorizer, user }),
    authorizer &&
      resourceCheckKind.of({
        authorizer,
        user,
        group: resource.group,
        resource: resource.resource,
        subresource: request.requestSubResource,
        namespace: request.namespace,
        name: request.name,
        fieldSelector: '',
        labelSelector: '',
      }),
  ]
  return { values }
}

/** The same input with another `object`. */
export function withObject({ values }: PolicyInput, object: Json): PolicyInput {
  return { values: values.with(objectSlot, dynamicValue(object)) }
}

/** The same input for match conditions, which cannot use `namespaceObject`. */
export function withoutNamespace({ values }: PolicyInput): PolicyInput {
  return { values: values.with(namespaceSlot, null) }
}

const objectSlot = policyVariables.indexOf('object')
const namespaceSlot = policyVariables.indexOf('namespaceObject')

/** Namespaces do not change, and many requests use the same ones. */
const namespaceValues = new WeakMap<object, Value>()

function namespaceValue(namespace: Json): Value {
  if (!isJsonObject(namespace)) return null
  let value = namespaceValues.get(namespace)
  if (value === undefined) {
    value = dynamicValue(namespaceJson(namespace))
    namespaceValues.set(namespace, value)
  }
  return value
}

interface VariableState {
  readonly compiler: PolicyCompiler
  values: (Value | undefined)[]
  known: Map<string, Value> | undefined
  /** The cost of the variables that were evaluated during the current expression. */
  cost: number
}

/** The kind of `variables`, which evaluates each selected variable once. */
const variablesKind: OpaqueKind = {
  name: 'kubernetes.variables',
  equal: (left, right) => left === right,
  field: (content, escaped) => {
    const state = content as VariableState
    const name = unescapeProperty(escaped)
    if (name === undefined) return undefined
    const known = state.known?.get(name)
    if (known !== undefined) return known
    const variable = state.compiler.variables.find((candidate) => candidate.name === name)
    if (variable === undefined) return undefined
    const value =
      variable.program === undefined
        ? new CelError(
            `composited variable "${name}" fails to compile: ${variable.error?.detail ?? ''}`,
          )
        : evaluateVariable(state, name, variable.program)
    state.known ??= new Map()
    state.known.set(name, value)
    return value
  },
}

function evaluateVariable(state: VariableState, name: string, program: Program): Value {
  const { value, cost } = program.evaluate(state.values, expressionLimit)
  state.cost += cost
  if (!(value instanceof CelError)) return value
  return new CelError(`composited variable "${name}" fails to evaluate: ${value.message}`)
}
