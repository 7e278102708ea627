import { unescapeProperty } from '../type/property-name.ts'
import { listItem, mapFind, objectFind } from '../value/container.ts'
import { describeValue } from '../value/describe.ts'
import {
  CelError,
  isBoxed,
  isList,
  isOptional,
  isUint,
  type List,
  noOptional,
  optional as optionalOf,
  typeNameOf,
  type Value,
} from '../value/value.ts'
import {
  type AttributePlan,
  type Branch,
  charge,
  type Evaluate,
  type Frame,
  type Plan,
  type Qualifier,
  type Root,
  type Scope,
} from './plan-step.ts'

export function rootAttribute(scope: Scope): AttributePlan {
  return { kind: 'attribute', root: { kind: 'variable', scope }, qualifiers: [], test: false }
}

export function choiceAttribute(condition: Evaluate, yes: Branch, no: Branch): AttributePlan {
  const root: Root = { kind: 'choice', condition, yes, no }
  return { kind: 'attribute', root, qualifiers: [], test: false }
}

/** Adds a selection to `operand`. The result of `has()` is a value like any other. */
export function extendAttribute(operand: Plan, qualifier: Qualifier, test: boolean): AttributePlan {
  const attribute: AttributePlan =
    operand.kind === 'attribute' && !operand.test
      ? operand
      : {
          kind: 'attribute',
          root: { kind: 'value', evaluate: toEvaluate(operand) },
          qualifiers: [],
          test: false,
        }
  attribute.qualifiers.push(qualifier)
  attribute.test = test
  return attribute
}

export function toEvaluate(step: Plan): Evaluate {
  switch (step.kind) {
    case 'constant': {
      const { value } = step
      return () => value
    }
    case 'attribute':
      return attributeEvaluator(step)
    case 'step':
      return step.evaluate
  }
}

function attributeEvaluator(attribute: AttributePlan): Evaluate {
  const resolve = resolver(attribute, attribute.qualifiers)
  // Presence tests and conditionals have only the cost of their parts.
  const own = attribute.test || attribute.root.kind === 'choice' ? 0 : 1
  if (own === 0) return resolve
  return (frame) => {
    const value = resolve(frame)
    charge(frame, 1)
    return value
  }
}

function resolver(attribute: AttributePlan, qualifiers: readonly Qualifier[]): Evaluate {
  const { root } = attribute
  if (root.kind === 'choice') {
    const { condition } = root
    const yes = branchResolver(root.yes, qualifiers, attribute.test)
    const no = branchResolver(root.no, qualifiers, attribute.test)
    return (frame) => {
      const chosen = condition(frame)
      if (chosen === true) return yes(frame)
      if (chosen === false) return no(frame)
      return chosen instanceof CelError ? chosen : new CelError('no such overload')
    }
  }
  const base = root.kind === 'variable' ? readVariable(root.scope) : root.evaluate
  return applyQualifiers(base, qualifiers, attribute.test)
}

function branchResolver(branch: Branch, added: readonly Qualifier[], test: boolean): Evaluate {
  if (branch.kind === 'value') return applyQualifiers(branch.evaluate, added, test)
  const inner = branch.test
    ? applyQualifiers(resolver(branch, branch.qualifiers), added, test)
    : resolver({ ...branch, test }, [...branch.qualifiers, ...added])
  return inner
}

function readVariable(scope: Scope): Evaluate {
  const { slot, init, name } = scope
  const read = init ?? (() => new CelError(`no such attribute(s): ${name}`))
  return (frame) => {
    const known = frame.slots[slot]
    if (known !== undefined) return known
    const value = read(frame)
    frame.slots[slot] = value
    return value
  }
}

/** Resolves one selection. A missing value is undefined if `lenient`, else an error. */
type Step = (frame: Frame, value: Value, lenient: boolean) => Value | undefined

function applyQualifiers(
  base: Evaluate,
  qualifiers: readonly Qualifier[],
  test: boolean,
): Evaluate {
  if (qualifiers.length === 0) return base
  const last = qualifiers.length - 1
  const steps = qualifiers.map((qualifier, index) =>
    qualifierStep(qualifier, test && index === last),
  )
  const firstOptional = qualifiers.findIndex((qualifier) => qualifier.optional)
  const optionalFrom = firstOptional < 0 ? steps.length : firstOptional
  return (frame) => {
    let value: Value | undefined = base(frame)
    let from = optionalFrom
    if (isOptional(value)) {
      value = value.value
      from = 0
    }
    for (let index = 0; index < steps.length; index++) {
      if (value instanceof CelError) return value
      if (value === undefined) return test ? false : noOptional
      value = steps[index]?.(frame, value, index >= from || (test && index === last))
    }
    if (value instanceof CelError) return value
    if (test) return value !== undefined
    if (value === undefined) return noOptional
    return from < steps.length ? optionalOf(value) : value
  }
}

function qualifierStep(qualifier: Qualifier, tested: boolean): Step {
  if (qualifier.kind === 'dynamic') return dynamicStep(qualifier.index)
  const { key } = qualifier
  const property = typeof key === 'string' ? unescapeProperty(key) : undefined
  return (frame, value, lenient) => {
    const declared = isBoxed(value) && value.kind === 'object' && value.schema.properties
    const found =
      declared && property !== undefined ? objectFind(value, property) : find(value, key)
    if (found === undefined && lenient) {
      if (tested) charge(frame, 1)
      return undefined
    }
    charge(frame, 1)
    return found === undefined ? missing(value, key) : found
  }
}

function dynamicStep(index: Plan): Step {
  const attribute = index.kind === 'attribute' && !index.test
  const evaluate = attribute ? resolver(index, index.qualifiers) : toEvaluate(index)
  const units = attribute && index.root.kind === 'choice' ? 0 : 1
  return (frame, value, lenient) => {
    const key = evaluate(frame)
    if (key instanceof CelError) return key
    const found = find(value, key)
    if (found === undefined && lenient) return undefined
    charge(frame, units)
    return found === undefined ? missing(value, key) : found
  }
}

function find(value: Value, key: Value): Value | undefined {
  if (!isBoxed(value)) return undefined
  switch (value.kind) {
    case 'object':
    case 'map':
      return mapFind(value, key)
    case 'list':
      return findItem(value, key)
    case 'opaque':
      return typeof key === 'string' ? value.type.field?.(value.content, key) : undefined
    default:
      return undefined
  }
}

function findItem(list: List, key: Value): Value | undefined {
  const index = listIndex(key)
  if (index instanceof CelError) return index
  return index >= 0 && index < list.items.length ? listItem(list, index) : undefined
}

function listIndex(key: Value): number | CelError {
  if (typeof key === 'bigint') return Number(key)
  if (isUint(key)) return Number(key.value)
  if (typeof key === 'number') {
    return Number.isInteger(key)
      ? key
      : new CelError(`unsupported index value ${describeValue(key)} in list`)
  }
  return new CelError(`unsupported index type '${typeNameOf(key)}' in list`)
}

function missing(value: Value, key: Value): CelError {
  const what = isList(value) ? 'index out of bounds' : 'no such key'
  return new CelError(`${what}: ${describeValue(key)}`)
}
