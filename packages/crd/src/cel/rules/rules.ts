import type { FieldError } from '../../field-error/field-error.ts'
import { assertSchemaDepth } from '../../schema/nesting.ts'
import type { Json, Schema } from '../../schema/schema.ts'
import {
  type Correlation,
  correlateItem,
  correlateKey,
  isUnchanged,
  oldItems,
} from './correlation.ts'
import { invalid } from './rule-errors.ts'
import { evaluateNode, type RuleState } from './rule-evaluation.ts'
import { buildRuleTree, type RuleNode } from './rule-tree.ts'

interface CompileRulesOptions {
  /** Whether the schema is that of a whole resource, with apiVersion, kind and metadata. Default true. */
  readonly resourceRoot?: boolean
}

interface ValidateRulesOptions {
  /** The cost budget of all rules together. Default 10 000 000, as in Kubernetes. */
  readonly budget?: number
  /** The path of the value in its object. If omitted, the root. */
  readonly path?: string
}

/** The compiled CEL rules of a schema. */
export interface CompiledRules {
  /**
   * Evaluates the rules for a value. With an old value, transition rules are evaluated too, and errors of unchanged
   * values are omitted. Never throws, and stops when the budget is exhausted.
   */
  validate(value: Json, oldValue?: Json, options?: ValidateRulesOptions): FieldError[]
}

/**
 * Compiles the rules of a schema; undefined if it has none. Throws if it nests too deep, which `checkStructural`
 * reports beforehand.
 */
export function compileRules(
  schema: Schema,
  options: CompileRulesOptions = {},
): CompiledRules | undefined {
  assertSchemaDepth(schema)
  const root = buildRuleTree(schema, options.resourceRoot ?? true)
  if (root === undefined) return undefined
  return {
    validate: (value, oldValue, { budget = runtimeBudget, path = '' } = {}) => {
      const state: RuleState = { errors: [], budget, stopped: false }
      const current =
        oldValue === undefined || oldValue === null ? undefined : { value, old: oldValue, schema }
      validateNode(root, state, { path, value, old: oldValue, current, parent: undefined })
      return state.errors
    },
  }
}

/** The cost budget of the rules of one object. */
const runtimeBudget = 10_000_000

interface Location {
  readonly path: string
  readonly value: Json
  readonly old: Json | undefined
  /** Undefined if the old counterpart is not known. */
  readonly current: Correlation | undefined
  /** The nearest ancestor that has a counterpart. */
  readonly parent: Correlation | undefined
}

function validateNode(node: RuleNode, state: RuleState, location: Location): void {
  if (location.value === null) return
  if (node.untyped) {
    const detail =
      'rule compiler initialization error: failed to convert to declType for CEL validation rules'
    state.errors.push(invalid(location.path, node.schema.type ?? '', detail))
  } else {
    const unchanged = memoized(() => isRatcheted(location))
    evaluateNode(node, state, location.path, location.value, location.old ?? undefined, unchanged)
  }
  for (const part of node.allOf) {
    if (state.stopped) return
    validateNode(part, state, { ...location, current: undefined })
  }
  if (state.stopped) return
  if (Array.isArray(location.value)) validateItems(node, state, location, location.value)
  else if (typeof location.value === 'object') validateFields(node, state, location, location.value)
}

function validateItems(
  node: RuleNode,
  state: RuleState,
  location: Location,
  items: readonly Json[],
): void {
  if (node.items === undefined) return
  const old = oldItems(node.schema, location.old)
  for (const [index, item] of items.entries()) {
    if (state.stopped) return
    const oldItem = old.find(item)
    const child = correlateItem(location.current, item, oldItem)
    validateNode(node.items, state, {
      path: `${location.path}[${index}]`,
      value: item,
      old: oldItem,
      current: child,
      parent: location.current ?? location.parent,
    })
  }
}

function validateFields(
  node: RuleNode,
  state: RuleState,
  location: Location,
  object: { readonly [key: string]: Json },
): void {
  const { old } = location
  const oldObject = typeof old === 'object' && old !== null && !Array.isArray(old) ? old : {}
  for (const [key, value] of Object.entries(object)) {
    const property = node.properties.get(key)
    const child = property ?? node.additional
    if (child === undefined) continue
    if (state.stopped) return
    const path =
      property === undefined
        ? `${location.path}[${key}]`
        : `${location.path}${location.path === '' ? '' : '.'}${key}`
    // The type of a resource never changes, so that its rules are always reported.
    const typeMeta = location.parent === undefined && (key === 'apiVersion' || key === 'kind')
    validateNode(child, state, {
      path,
      value,
      old: Object.hasOwn(oldObject, key) ? oldObject[key] : undefined,
      current: typeMeta ? undefined : correlateKey(location.current, key),
      parent: typeMeta ? undefined : (location.current ?? location.parent),
    })
  }
}

function isRatcheted(location: Location): boolean {
  const correlation = location.current ?? location.parent
  return correlation !== undefined && isUnchanged(correlation)
}

function memoized(compute: () => boolean): () => boolean {
  let known: boolean | undefined
  return () => {
    known ??= compute()
    return known
  }
}
