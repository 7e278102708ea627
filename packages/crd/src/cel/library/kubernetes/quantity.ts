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
import { costScan } from '../../declaration/call-cost.ts'
import { estimateOne, estimateScanArgument } from '../../declaration/call-estimate.ts'
import { type Apply, fn, type Library, method } from '../../declaration/declaration.ts'
import { boolType, doubleType, intType, stringType, structType } from '../../type/type.ts'
import {
  CelError,
  isOpaque,
  noSuchOverload,
  type OpaqueKind,
  type Value,
} from '../../value/value.ts'

const quantityType = structType('kubernetes.Quantity')
const unitCost = { estimate: estimateOne }
const parseCost = { cost: costScan, estimate: estimateScanArgument }

const quantityKind: OpaqueKind = {
  name: quantityType.name,
  equal: (left, right) => compareQuantities(left as Quantity, right as Quantity) === 0,
}

/** Functions on quantities such as `500m` and `1Gi`. */
export const quantity: Library = [
  ['quantity', [fn('string_to_quantity', [stringType], quantityType, parse, parseCost)]],
  [
    'isQuantity',
    [
      fn(
        'is_quantity_string',
        [stringType],
        boolType,
        ([text]) => (typeof text === 'string' ? isQuantity(text) : noSuchOverload),
        parseCost,
      ),
    ],
  ],
  [
    'sign',
    [
      fn(
        'quantity_sign',
        [quantityType],
        intType,
        unary((q) => BigInt(quantitySign(q))),
        unitCost,
      ),
    ],
  ],
  [
    'isGreaterThan',
    [
      method(
        'quantity_is_greater_than',
        [quantityType, quantityType],
        boolType,
        compared((o) => o > 0),
        unitCost,
      ),
    ],
  ],
  [
    'isLessThan',
    [
      method(
        'quantity_is_less_than',
        [quantityType, quantityType],
        boolType,
        compared((o) => o < 0),
        unitCost,
      ),
    ],
  ],
  [
    'compareTo',
    [
      method(
        'quantity_compare_to',
        [quantityType, quantityType],
        intType,
        compared((o) => BigInt(o)),
        unitCost,
      ),
    ],
  ],
  [
    'asApproximateFloat',
    [method('quantity_get_float', [quantityType], doubleType, unary(quantityAsNumber), unitCost)],
  ],
  ['asInteger', [method('quantity_get_int', [quantityType], intType, unary(asInteger), unitCost)]],
  [
    'isInteger',
    [
      method(
        'quantity_is_integer',
        [quantityType],
        boolType,
        unary((q) => quantityAsInt64(q) !== undefined),
        unitCost,
      ),
    ],
  ],
  [
    'add',
    [
      method(
        'quantity_add',
        [quantityType, quantityType],
        quantityType,
        combined(addQuantities),
        unitCost,
      ),
      method(
        'quantity_add_int',
        [quantityType, intType],
        quantityType,
        combined(addQuantities),
        unitCost,
      ),
    ],
  ],
  [
    'sub',
    [
      method(
        'quantity_sub',
        [quantityType, quantityType],
        quantityType,
        combined(subtractQuantities),
        unitCost,
      ),
      method(
        'quantity_sub_int',
        [quantityType, intType],
        quantityType,
        combined(subtractQuantities),
        unitCost,
      ),
    ],
  ],
]

function parse([text]: readonly Value[]): Value {
  if (typeof text !== 'string') return noSuchOverload
  return guarded(() => parseQuantity(text))
}

function asInteger(value: Quantity): Value {
  return quantityAsInt64(value) ?? new CelError('cannot convert value to integer')
}

function unary(operate: (value: Quantity) => Value): Apply {
  return ([value = null]) => {
    const content = contentOf(value)
    return content === undefined ? noSuchOverload : operate(content)
  }
}

function compared(result: (order: -1 | 0 | 1) => Value): Apply {
  return ([left = null, right = null]) => {
    const [a, b] = [contentOf(left), contentOf(right)]
    return a === undefined || b === undefined ? noSuchOverload : result(compareQuantities(a, b))
  }
}

function combined(operate: (left: Quantity, right: Quantity) => Quantity): Apply {
  return ([left = null, right = null]) => {
    const a = contentOf(left)
    const b =
      typeof right === 'bigint' ? quantityFromInteger(right, 'DecimalExponent') : contentOf(right)
    return a === undefined || b === undefined ? noSuchOverload : guarded(() => operate(a, b))
  }
}

function guarded(make: () => Quantity): Value {
  try {
    return { kind: 'opaque', type: quantityKind, content: make() }
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message)
    throw error
  }
}

function contentOf(value: Value): Quantity | undefined {
  return isOpaque(value) && value.type === quantityKind ? (value.content as Quantity) : undefined
}
