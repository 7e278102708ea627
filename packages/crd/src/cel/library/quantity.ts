import {
  addQuantities,
  compareQuantities,
  isQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityAsInt64,
  quantityAsNumber,
  quantityFromInteger,
  quantitySign,
  subtractQuantities,
} from '@agents/kube'
import { costScan } from '../cost.ts'
import { type Apply, fn, type Library, method } from '../declaration.ts'
import { estimateOne, estimateScanArgument } from '../estimate-call.ts'
import { BOOL, DOUBLE, INT, STRING, structType } from '../type.ts'
import { CelError, isOpaque, NO_SUCH_OVERLOAD, type OpaqueKind, type Value } from '../value.ts'

const QUANTITY = structType('kubernetes.Quantity')
const ONE = { estimate: estimateOne }
const PARSE = { cost: costScan, estimate: estimateScanArgument }

const QUANTITY_KIND: OpaqueKind = {
  name: QUANTITY.name,
  equal: (left, right) => compareQuantities(left as Quantity, right as Quantity) === 0,
}

/** Amounts such as `500m` and `1Gi`. */
export const quantity: Library = [
  ['quantity', [fn('string_to_quantity', [STRING], QUANTITY, parse, PARSE)]],
  [
    'isQuantity',
    [
      fn(
        'is_quantity_string',
        [STRING],
        BOOL,
        ([text]) => (typeof text === 'string' ? isQuantity(text) : NO_SUCH_OVERLOAD),
        PARSE,
      ),
    ],
  ],
  [
    'sign',
    [
      fn(
        'quantity_sign',
        [QUANTITY],
        INT,
        unary((q) => BigInt(quantitySign(q))),
        ONE,
      ),
    ],
  ],
  [
    'isGreaterThan',
    [
      method(
        'quantity_is_greater_than',
        [QUANTITY, QUANTITY],
        BOOL,
        compared((o) => o > 0),
        ONE,
      ),
    ],
  ],
  [
    'isLessThan',
    [
      method(
        'quantity_is_less_than',
        [QUANTITY, QUANTITY],
        BOOL,
        compared((o) => o < 0),
        ONE,
      ),
    ],
  ],
  [
    'compareTo',
    [
      method(
        'quantity_compare_to',
        [QUANTITY, QUANTITY],
        INT,
        compared((o) => BigInt(o)),
        ONE,
      ),
    ],
  ],
  [
    'asApproximateFloat',
    [method('quantity_get_float', [QUANTITY], DOUBLE, unary(quantityAsNumber), ONE)],
  ],
  ['asInteger', [method('quantity_get_int', [QUANTITY], INT, unary(asInteger), ONE)]],
  [
    'isInteger',
    [
      method(
        'quantity_is_integer',
        [QUANTITY],
        BOOL,
        unary((q) => quantityAsInt64(q) !== undefined),
        ONE,
      ),
    ],
  ],
  [
    'add',
    [
      method('quantity_add', [QUANTITY, QUANTITY], QUANTITY, combined(addQuantities), ONE),
      method('quantity_add_int', [QUANTITY, INT], QUANTITY, combined(addQuantities), ONE),
    ],
  ],
  [
    'sub',
    [
      method('quantity_sub', [QUANTITY, QUANTITY], QUANTITY, combined(subtractQuantities), ONE),
      method('quantity_sub_int', [QUANTITY, INT], QUANTITY, combined(subtractQuantities), ONE),
    ],
  ],
]

function parse([text]: readonly Value[]): Value {
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD
  return guarded(() => parseQuantity(text))
}

function asInteger(value: Quantity): Value {
  return quantityAsInt64(value) ?? new CelError('cannot convert value to integer')
}

function unary(operate: (value: Quantity) => Value): Apply {
  return ([value = null]) => {
    const content = contentOf(value)
    return content === undefined ? NO_SUCH_OVERLOAD : operate(content)
  }
}

function compared(result: (order: -1 | 0 | 1) => Value): Apply {
  return ([left = null, right = null]) => {
    const [a, b] = [contentOf(left), contentOf(right)]
    return a === undefined || b === undefined ? NO_SUCH_OVERLOAD : result(compareQuantities(a, b))
  }
}

function combined(operate: (left: Quantity, right: Quantity) => Quantity): Apply {
  return ([left = null, right = null]) => {
    const a = contentOf(left)
    const b =
      typeof right === 'bigint' ? quantityFromInteger(right, 'DecimalExponent') : contentOf(right)
    return a === undefined || b === undefined ? NO_SUCH_OVERLOAD : guarded(() => operate(a, b))
  }
}

function guarded(make: () => Quantity): Value {
  try {
    return { kind: 'opaque', type: QUANTITY_KIND, content: make() }
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message)
    throw error
  }
}

function contentOf(value: Value): Quantity | undefined {
  return isOpaque(value) && value.type === QUANTITY_KIND ? (value.content as Quantity) : undefined
}
