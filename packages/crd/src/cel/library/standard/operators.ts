import { costCompare, costScanBoth, sizeOf } from '../../declaration/call-cost.ts'
import {
  type Apply,
  type Cost,
  fn,
  type Library,
  type Overload,
} from '../../declaration/declaration.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  stringType,
  type Type,
  timestampType,
  typeParam,
  uintType,
} from '../../type/type.ts'
import { add, divide, modulo, multiply, negate, subtract } from '../../value/arithmetic.ts'
import { compare } from '../../value/compare.ts'
import { listItem, mapFind } from '../../value/container.ts'
import { equal } from '../../value/equality.ts'
import { CelError, isList, isMap, noSuchOverload, type Value } from '../../value/value.ts'

const typeA = typeParam('A')
const typeB = typeParam('B')

/** The names of types in overload ids. */
const overloadSuffixes = new Map<Type, string>([
  [boolType, 'bool'],
  [intType, 'int64'],
  [uintType, 'uint64'],
  [doubleType, 'double'],
  [stringType, 'string'],
  [bytesType, 'bytes'],
  [timestampType, 'timestamp'],
  [durationType, 'duration'],
])

/**
 * The operators. The planner evaluates `&&`, `||`, `?:`, `==`, `!=`, `[]` and their optional forms itself, because they
 * are lazy or absorb errors; here they only have their signatures.
 */
export const operators: Library = [
  ['_?_:_', [fn('conditional', [boolType, typeA, typeA], typeA, planned)]],
  ['_&&_', [fn('logical_and', [boolType, boolType], boolType, planned)]],
  ['_||_', [fn('logical_or', [boolType, boolType], boolType, planned)]],
  ['_==_', [fn('equals', [typeA, typeA], boolType, planned)]],
  ['_!=_', [fn('not_equals', [typeA, typeA], boolType, planned)]],
  [
    '_[_]',
    [
      fn('index_list', [listType(typeA), intType], typeA, planned),
      fn('index_map', [mapType(typeA, typeB), typeA], typeB, planned),
    ],
  ],
  ['!_', [fn('logical_not', [boolType], boolType, not)]],
  ['@not_strictly_false', [fn('not_strictly_false', [boolType], boolType, planned)]],
  [
    '-_',
    [
      fn('negate_double', [doubleType], doubleType, ([value]) => negate(value ?? null)),
      fn('negate_int64', [intType], intType, ([value]) => negate(value ?? null)),
    ],
  ],
  ['_+_', additions(binary(add))],
  ['_-_', subtractions(binary(subtract))],
  ['_*_', sameKind('multiply', [doubleType, intType, uintType], binary(multiply))],
  ['_/_', sameKind('divide', [doubleType, intType, uintType], binary(divide))],
  ['_%_', sameKind('modulo', [intType, uintType], binary(modulo))],
  ['_<_', comparisons('less', (order) => order < 0)],
  ['_<=_', comparisons('less_equals', (order) => order <= 0)],
  ['_>_', comparisons('greater', (order) => order > 0)],
  ['_>=_', comparisons('greater_equals', (order) => order >= 0)],
  [
    '@in',
    [
      fn('in_list', [typeA, listType(typeA)], boolType, contains, {
        cost: ([, list]) => sizeOf(list),
      }),
      fn('in_map', [typeA, mapType(typeA, typeB)], boolType, contains),
    ],
  ],
]

/** Whether a list has an element, or a map has a key. */
export function contains(args: readonly Value[]): Value {
  const [wanted = null, container = null] = args
  if (isMap(container)) {
    const found = mapFind(container, wanted)
    return found instanceof CelError && typeof wanted !== 'string' ? found : found !== undefined
  }
  if (!isList(container)) return noSuchOverload
  let failure: CelError | undefined
  for (let index = 0; index < container.items.length; index++) {
    const result = equal(listItem(container, index), wanted)
    if (result === true) return true
    if (result instanceof CelError) failure ??= result
  }
  return failure ?? false
}

/** Never called, because the planner handles the operator itself. */
function planned(): Value {
  return noSuchOverload
}

function not([value]: readonly Value[]): Value {
  return typeof value === 'boolean' ? !value : noSuchOverload
}

function binary(operate: (left: Value, right: Value) => Value): Apply {
  return ([left = null, right = null]) => operate(left, right)
}

function sameKind(name: string, types: readonly Type[], apply: Apply): Overload[] {
  return types.map((type) => fn(`${name}_${overloadSuffixes.get(type)}`, [type, type], type, apply))
}

function additions(apply: Apply): Overload[] {
  const text = { cost: costScanBoth }
  return [
    fn('add_bytes', [bytesType, bytesType], bytesType, apply, text),
    fn('add_double', [doubleType, doubleType], doubleType, apply),
    fn('add_duration_duration', [durationType, durationType], durationType, apply),
    fn('add_duration_timestamp', [durationType, timestampType], timestampType, apply),
    fn('add_timestamp_duration', [timestampType, durationType], timestampType, apply),
    fn('add_int64', [intType, intType], intType, apply),
    fn('add_list', [listType(typeA), listType(typeA)], listType(typeA), apply),
    fn('add_string', [stringType, stringType], stringType, apply, text),
    fn('add_uint64', [uintType, uintType], uintType, apply),
  ]
}

function subtractions(apply: Apply): Overload[] {
  return [
    fn('subtract_double', [doubleType, doubleType], doubleType, apply),
    fn('subtract_duration_duration', [durationType, durationType], durationType, apply),
    fn('subtract_int64', [intType, intType], intType, apply),
    fn('subtract_timestamp_duration', [timestampType, durationType], timestampType, apply),
    fn('subtract_timestamp_timestamp', [timestampType, timestampType], durationType, apply),
    fn('subtract_uint64', [uintType, uintType], uintType, apply),
  ]
}

/** The overloads of a comparison: numbers compare across their types, other values only with their own type. */
function comparisons(name: string, holds: (order: number) => boolean): Overload[] {
  const apply = binary((left, right) => {
    const order = compare(left, right)
    return order instanceof CelError ? order : holds(order)
  })
  const overload = (left: Type, right: Type, id: string, cost?: Cost) =>
    fn(id, [left, right], boolType, apply, cost === undefined ? {} : { cost })
  const numbers = [intType, uintType, doubleType]
  const mixed = numbers.flatMap((left) =>
    numbers
      .filter((right) => right !== left)
      .map((right) =>
        overload(
          left,
          right,
          `${name}_${overloadSuffixes.get(left)}_${overloadSuffixes.get(right)}`,
        ),
      ),
  )
  const own = [boolType, intType, uintType, doubleType, timestampType, durationType]
  return [
    ...own.map((type) => overload(type, type, `${name}_${overloadSuffixes.get(type)}`)),
    ...[stringType, bytesType].map((type) =>
      overload(type, type, `${name}_${overloadSuffixes.get(type)}`, costCompare),
    ),
    ...mixed,
  ]
}
