import { add, divide, modulo, multiply, negate, subtract } from '../arithmetic.ts'
import { compare } from '../compare.ts'
import { listItems, mapFind } from '../container.ts'
import { costCompare, costScanBoth, sizeOf } from '../cost.ts'
import { type Apply, type Cost, fn, type Library, type Overload } from '../declaration.ts'
import { equal } from '../equality.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listType,
  mapType,
  STRING,
  TIMESTAMP,
  type Type,
  typeParam,
  UINT,
} from '../type.ts'
import { CelError, isList, isMap, NO_SUCH_OVERLOAD, type Value } from '../value.ts'

const A = typeParam('A')
const B = typeParam('B')

/** The names of types in overload ids. */
const SUFFIXES = new Map<Type, string>([
  [BOOL, 'bool'],
  [INT, 'int64'],
  [UINT, 'uint64'],
  [DOUBLE, 'double'],
  [STRING, 'string'],
  [BYTES, 'bytes'],
  [TIMESTAMP, 'timestamp'],
  [DURATION, 'duration'],
])

/**
 * The operators. `&&`, `||`, `?:`, `==`, `!=`, `[]` and their optional forms are evaluated by the planner itself, because
 * they are lazy or absorb errors; here they have their signatures.
 */
export const operators: Library = [
  ['_?_:_', [fn('conditional', [BOOL, A, A], A, planned)]],
  ['_&&_', [fn('logical_and', [BOOL, BOOL], BOOL, planned)]],
  ['_||_', [fn('logical_or', [BOOL, BOOL], BOOL, planned)]],
  ['_==_', [fn('equals', [A, A], BOOL, planned)]],
  ['_!=_', [fn('not_equals', [A, A], BOOL, planned)]],
  [
    '_[_]',
    [
      fn('index_list', [listType(A), INT], A, planned),
      fn('index_map', [mapType(A, B), A], B, planned),
    ],
  ],
  ['!_', [fn('logical_not', [BOOL], BOOL, not)]],
  ['@not_strictly_false', [fn('not_strictly_false', [BOOL], BOOL, planned)]],
  [
    '-_',
    [
      fn('negate_double', [DOUBLE], DOUBLE, ([value]) => negate(value ?? null)),
      fn('negate_int64', [INT], INT, ([value]) => negate(value ?? null)),
    ],
  ],
  ['_+_', additions(binary(add))],
  ['_-_', subtractions(binary(subtract))],
  ['_*_', sameKind('multiply', [DOUBLE, INT, UINT], binary(multiply))],
  ['_/_', sameKind('divide', [DOUBLE, INT, UINT], binary(divide))],
  ['_%_', sameKind('modulo', [INT, UINT], binary(modulo))],
  ['_<_', comparisons('less', (order) => order < 0)],
  ['_<=_', comparisons('less_equals', (order) => order <= 0)],
  ['_>_', comparisons('greater', (order) => order > 0)],
  ['_>=_', comparisons('greater_equals', (order) => order >= 0)],
  [
    '@in',
    [
      fn('in_list', [A, listType(A)], BOOL, contains, { cost: ([, list]) => sizeOf(list) }),
      fn('in_map', [A, mapType(A, B)], BOOL, contains),
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
  if (!isList(container)) return NO_SUCH_OVERLOAD
  let failure: CelError | undefined
  for (const item of listItems(container)) {
    const result = equal(item, wanted)
    if (result === true) return true
    if (result instanceof CelError) failure ??= result
  }
  return failure ?? false
}

/** Never called: the planner handles the operator before it comes to a call. */
function planned(): Value {
  return NO_SUCH_OVERLOAD
}

function not([value]: readonly Value[]): Value {
  return typeof value === 'boolean' ? !value : NO_SUCH_OVERLOAD
}

function binary(operate: (left: Value, right: Value) => Value): Apply {
  return ([left = null, right = null]) => operate(left, right)
}

function sameKind(name: string, types: readonly Type[], apply: Apply): Overload[] {
  return types.map((type) => fn(`${name}_${SUFFIXES.get(type)}`, [type, type], type, apply))
}

function additions(apply: Apply): Overload[] {
  const text = { cost: costScanBoth }
  return [
    fn('add_bytes', [BYTES, BYTES], BYTES, apply, text),
    fn('add_double', [DOUBLE, DOUBLE], DOUBLE, apply),
    fn('add_duration_duration', [DURATION, DURATION], DURATION, apply),
    fn('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP, apply),
    fn('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, apply),
    fn('add_int64', [INT, INT], INT, apply),
    fn('add_list', [listType(A), listType(A)], listType(A), apply),
    fn('add_string', [STRING, STRING], STRING, apply, text),
    fn('add_uint64', [UINT, UINT], UINT, apply),
  ]
}

function subtractions(apply: Apply): Overload[] {
  return [
    fn('subtract_double', [DOUBLE, DOUBLE], DOUBLE, apply),
    fn('subtract_duration_duration', [DURATION, DURATION], DURATION, apply),
    fn('subtract_int64', [INT, INT], INT, apply),
    fn('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, apply),
    fn('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION, apply),
    fn('subtract_uint64', [UINT, UINT], UINT, apply),
  ]
}

/** Numbers compare across their types; everything else with its own kind. */
function comparisons(name: string, holds: (order: number) => boolean): Overload[] {
  const apply = binary((left, right) => {
    const order = compare(left, right)
    return order instanceof CelError ? order : holds(order)
  })
  const overload = (left: Type, right: Type, id: string, cost?: Cost) =>
    fn(id, [left, right], BOOL, apply, cost === undefined ? {} : { cost })
  const numbers = [INT, UINT, DOUBLE]
  const mixed = numbers.flatMap((left) =>
    numbers
      .filter((right) => right !== left)
      .map((right) =>
        overload(left, right, `${name}_${SUFFIXES.get(left)}_${SUFFIXES.get(right)}`),
      ),
  )
  const own = [BOOL, INT, UINT, DOUBLE, TIMESTAMP, DURATION]
  return [
    ...own.map((type) => overload(type, type, `${name}_${SUFFIXES.get(type)}`)),
    ...[STRING, BYTES].map((type) =>
      overload(type, type, `${name}_${SUFFIXES.get(type)}`, costCompare),
    ),
    ...mixed,
  ]
}
