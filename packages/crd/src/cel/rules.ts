import type { FieldError } from '../field-error.ts'
import type { Json, Schema } from '../schema.ts'
import { refuseTooDeep } from '../structural/nesting.ts'
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

export interface CompileRulesOptions {
  /** Whether the schema is that of a whole resource, as it is unless said otherwise: it has apiVersion, kind and metadata. */
  readonly resourceRoot?: boolean
}

export interface ValidateRulesOptions {
  /** Cost units for all rules together; 10 000 000 as in Kubernetes. */
  readonly budget?: number
  /** Where the value stands in its object; the root if not given. */
  readonly path?: string
}

/** All CEL rules of a schema, compiled once. */
export interface CompiledRules {
  /**
   * Evaluates the rules for a value; with an old value also the transition rules, and values that did not change are
   * not complained about. Never throws, and stops when the budget is used up.
   */
  validate(value: Json, oldValue?: Json, options?: ValidateRulesOptions): FieldError[]
}

/** Undefined where the schema has no rule anywhere. Throws when it nests too deep, which `checkStructural` reports beforehand. */
export function compileRules(
  schema: Schema,
  options: CompileRulesOptions = {},
): CompiledRules | undefined {
  refuseTooDeep(schema)
  const root = buildRuleTree(schema, options.resourceRoot ?? true)
  if (root === undefined) return undefined
  return {
    validate: (value, oldValue, { budget = RUNTIME_BUDGET, path = '' } = {}) => {
      const state: RuleState = { errors: [], budget, stopped: false }
      const current =
        oldValue === undefined || oldValue === null ? undefined : { value, old: oldValue, schema }
      validateNode(root, state, { path, value, old: oldValue, current, parent: undefined })
      return state.errors
    },
  }
}

/** Cost units that the rules of one object may use together. */
const RUNTIME_BUDGET = 10_000_000

interface Place {
  readonly path: string
  readonly value: Json
  readonly old: Json | undefined
  /** Undefined in parts of an object whose old counterpart is not known. */
  readonly current: Correlation | undefined
  /** The nearest ancestor that has a counterpart. */
  readonly parent: Correlation | undefined
}

function validateNode(node: RuleNode, state: RuleState, place: Place): void {
  if (place.value === null) return
  if (node.untyped) {
    const detail =
      'rule compiler initialization error: failed to convert to declType for CEL validation rules'
    state.errors.push(invalid(place.path, node.schema.type ?? '', detail))
  } else {
    const unchanged = memoized(() => isRatcheted(place))
    evaluateNode(node, state, place.path, place.value, place.old ?? undefined, unchanged)
  }
  for (const part of node.allOf) {
    if (state.stopped) return
    validateNode(part, state, { ...place, current: undefined })
  }
  if (state.stopped) return
  if (Array.isArray(place.value)) validateItems(node, state, place, place.value)
  else if (typeof place.value === 'object') validateFields(node, state, place, place.value)
}

function validateItems(
  node: RuleNode,
  state: RuleState,
  place: Place,
  items: readonly Json[],
): void {
  if (node.items === undefined) return
  const old = oldItems(node.schema, place.old)
  for (const [index, item] of items.entries()) {
    if (state.stopped) return
    const oldItem = old.find(item)
    const child = correlateItem(place.current, item, oldItem)
    validateNode(node.items, state, {
      path: `${place.path}[${index}]`,
      value: item,
      old: oldItem,
      current: child,
      parent: place.current ?? place.parent,
    })
  }
}

function validateFields(
  node: RuleNode,
  state: RuleState,
  place: Place,
  object: { readonly [key: string]: Json },
): void {
  const { old } = place
  const oldObject = typeof old === 'object' && old !== null && !Array.isArray(old) ? old : {}
  for (const [key, value] of Object.entries(object)) {
    const property = node.properties.get(key)
    const child = property ?? node.additional
    if (child === undefined) continue
    if (state.stopped) return
    const path =
      property === undefined
        ? `${place.path}[${key}]`
        : `${place.path}${place.path === '' ? '' : '.'}${key}`
    // The type of a resource is the same before and after by definition, so its rules always count.
    const typeMeta = place.parent === undefined && (key === 'apiVersion' || key === 'kind')
    validateNode(child, state, {
      path,
      value,
      old: Object.hasOwn(oldObject, key) ? oldObject[key] : undefined,
      current: typeMeta ? undefined : correlateKey(place.current, key),
      parent: typeMeta ? undefined : (place.current ?? place.parent),
    })
  }
}

function isRatcheted(place: Place): boolean {
  const correlation = place.current ?? place.parent
  return correlation !== undefined && isUnchanged(correlation)
}

function memoized(compute: () => boolean): () => boolean {
  let known: boolean | undefined
  return () => {
    known ??= compute()
    return known
  }
}
