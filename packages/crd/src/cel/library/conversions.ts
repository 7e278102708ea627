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
} from '../convert.ts'
import { costScan, sizeOf } from '../cost.ts'
import { fn, type Library, method, type Overload } from '../declaration.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  STRING,
  TIMESTAMP,
  type Type,
  typeParam,
  typeType,
  UINT,
} from '../type.ts'
import type { Value } from '../value.ts'

const A = typeParam('A')
const B = typeParam('B')

/** The names of functions whose calls on constants are evaluated when the expression is compiled. */
export const FOLDED_CONVERSIONS: ReadonlySet<string> = new Set([
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
  ['bool', conversion(BOOL, toBool, { bool_to_bool: BOOL, string_to_bool: STRING })],
  [
    'bytes',
    [
      fn('bytes_to_bytes', [BYTES], BYTES, unary(toBytes)),
      fn('string_to_bytes', [STRING], BYTES, unary(toBytes), { cost: costScan }),
    ],
  ],
  [
    'double',
    conversion(DOUBLE, toDouble, {
      double_to_double: DOUBLE,
      int64_to_double: INT,
      string_to_double: STRING,
      uint64_to_double: UINT,
    }),
  ],
  [
    'duration',
    conversion(DURATION, toDuration, {
      duration_to_duration: DURATION,
      int64_to_duration: INT,
      string_to_duration: STRING,
    }),
  ],
  [
    'dyn',
    [
      fn(
        'to_dyn',
        [A],
        DYN,
        unary((value) => value),
      ),
    ],
  ],
  [
    'int',
    conversion(INT, toInt, {
      int64_to_int64: INT,
      double_to_int64: DOUBLE,
      duration_to_int64: DURATION,
      string_to_int64: STRING,
      timestamp_to_int64: TIMESTAMP,
      uint64_to_int64: UINT,
    }),
  ],
  [
    'string',
    [
      ...conversion(STRING, toText, {
        string_to_string: STRING,
        bool_to_string: BOOL,
        double_to_string: DOUBLE,
        duration_to_string: DURATION,
        int64_to_string: INT,
        timestamp_to_string: TIMESTAMP,
        uint64_to_string: UINT,
      }),
      fn('bytes_to_string', [BYTES], STRING, unary(toText), { cost: costScan }),
    ],
  ],
  [
    'timestamp',
    conversion(TIMESTAMP, toTimestamp, {
      timestamp_to_timestamp: TIMESTAMP,
      int64_to_timestamp: INT,
      string_to_timestamp: STRING,
    }),
  ],
  ['type', [fn('type', [A], typeType(A), unary(toType))]],
  [
    'uint',
    conversion(UINT, toUint, {
      uint64_to_uint64: UINT,
      double_to_uint64: DOUBLE,
      int64_to_uint64: INT,
      string_to_uint64: STRING,
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
    ['string', STRING],
    ['bytes', BYTES],
    ['list', listType(A)],
    ['map', mapType(A, B)],
  ]
  return kinds.flatMap(([name, type]) => [
    fn(`size_${name}`, [type], INT, apply),
    method(`${name}_size`, [type], INT, apply),
  ])
}

function unary(operate: (value: Value) => Value): (args: readonly Value[]) => Value {
  return ([value = null]) => operate(value)
}
