import { costScan, sizeOf } from '../../declaration/call-cost.ts'
import { fn, type Library, method, type Overload } from '../../declaration/declaration.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  type Type,
  timestampType,
  typeParam,
  typeType,
  uintType,
} from '../../type/type.ts'
import {
  toBool,
  toBytes,
  toDouble,
  toDuration,
  toInt,
  toText,
  toTimestamp,
  toType,
  toUint,
} from '../../value/convert.ts'
import type { Value } from '../../value/value.ts'

const typeA = typeParam('A')
const typeB = typeParam('B')

/** The names of functions whose calls with constants are evaluated at compile time. */
export const foldedConversions: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
])

export const conversions: Library = [
  ['bool', conversion(boolType, toBool, { bool_to_bool: boolType, string_to_bool: stringType })],
  [
    'bytes',
    [
      fn('bytes_to_bytes', [bytesType], bytesType, unary(toBytes)),
      fn('string_to_bytes', [stringType], bytesType, unary(toBytes), { cost: costScan }),
    ],
  ],
  [
    'double',
    conversion(doubleType, toDouble, {
      double_to_double: doubleType,
      int64_to_double: intType,
      string_to_double: stringType,
      uint64_to_double: uintType,
    }),
  ],
  [
    'duration',
    conversion(durationType, toDuration, {
      duration_to_duration: durationType,
      int64_to_duration: intType,
      string_to_duration: stringType,
    }),
  ],
  [
    'dyn',
    [
      fn(
        'to_dyn',
        [typeA],
        dynType,
        unary((value) => value),
      ),
    ],
  ],
  [
    'int',
    conversion(intType, toInt, {
      int64_to_int64: intType,
      double_to_int64: doubleType,
      duration_to_int64: durationType,
      string_to_int64: stringType,
      timestamp_to_int64: timestampType,
      uint64_to_int64: uintType,
    }),
  ],
  [
    'string',
    [
      ...conversion(stringType, toText, {
        string_to_string: stringType,
        bool_to_string: boolType,
        double_to_string: doubleType,
        duration_to_string: durationType,
        int64_to_string: intType,
        timestamp_to_string: timestampType,
        uint64_to_string: uintType,
      }),
      fn('bytes_to_string', [bytesType], stringType, unary(toText), { cost: costScan }),
    ],
  ],
  [
    'timestamp',
    conversion(timestampType, toTimestamp, {
      timestamp_to_timestamp: timestampType,
      int64_to_timestamp: intType,
      string_to_timestamp: stringType,
    }),
  ],
  ['type', [fn('type', [typeA], typeType(typeA), unary(toType))]],
  [
    'uint',
    conversion(uintType, toUint, {
      uint64_to_uint64: uintType,
      double_to_uint64: doubleType,
      int64_to_uint64: intType,
      string_to_uint64: stringType,
    }),
  ],
  ['size', sizes()],
]

function conversion(
  result: Type,
  convert: (value: Value) => Value,
  from: Readonly<Record<string, Type>>,
): Overload[] {
  return Object.entries(from).map(([id, type]) => fn(id, [type], result, unary(convert)))
}

function sizes(): Overload[] {
  const apply = unary((value) => BigInt(sizeOf(value)))
  const kinds: [string, Type][] = [
    ['string', stringType],
    ['bytes', bytesType],
    ['list', listType(typeA)],
    ['map', mapType(typeA, typeB)],
  ]
  return kinds.flatMap(([name, type]) => [
    fn(`size_${name}`, [type], intType, apply),
    method(`${name}_size`, [type], intType, apply),
  ])
}

function unary(operate: (value: Value) => Value): (args: readonly Value[]) => Value {
  return ([value = null]) => operate(value)
}
