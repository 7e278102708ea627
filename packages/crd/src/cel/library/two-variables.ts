import { mapFind, mapKey, mapKeys } from '../container.ts'
import { fn, type Library } from '../declaration.ts'
import { describeValue } from '../describe.ts'
import { mapType, typeParam } from '../type.ts'
import { CelError, isMap, type LiteralMap, NO_SUCH_OVERLOAD, type Value } from '../value.ts'

const K = typeParam('K')
const V = typeParam('V')
const MAP = mapType(K, V)

/** What transformMap() and transformMapEntry() call: one more entry, or all entries of another map. */
export const twoVariables: Library = [
  [
    'cel.@mapInsert',
    [
      fn('@mapInsert_map_key_value', [MAP, K, V], MAP, ([map = null, key = null, value = null]) =>
        insert(map, [[key, value]]),
      ),
      fn('@mapInsert_map_map', [MAP, MAP], MAP, ([map = null, other = null]) =>
        isMap(other)
          ? insert(
              map,
              mapKeys(other).map((key) => [key, mapFind(other, key) ?? null]),
            )
          : NO_SUCH_OVERLOAD,
      ),
    ],
  ],
]

function insert(map: Value, added: readonly (readonly [Value, Value])[]): Value {
  if (!isMap(map) || map.kind !== 'map') return NO_SUCH_OVERLOAD
  const result: LiteralMap = map.growing
    ? map
    : { kind: 'map', entries: new Map(map.entries), growing: false }
  for (const [key, value] of added) {
    const at = mapKey(key)
    if (at === undefined) return new CelError('unsupported key type')
    if (result.entries.has(at)) {
      return new CelError(`insert failed: key ${describeValue(key)} already exists`)
    }
    result.entries.set(at, { key, value })
  }
  return result
}
