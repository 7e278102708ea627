import { fn, type Library } from '../../declaration/declaration.ts'
import { mapType, typeParam } from '../../type/type.ts'
import { mapFind, mapKey, mapKeys } from '../../value/container.ts'
import { describeValue } from '../../value/describe.ts'
import { CelError, isMap, type LiteralMap, noSuchOverload, type Value } from '../../value/value.ts'

const typeK = typeParam('K')
const typeV = typeParam('V')
const mapOfV = mapType(typeK, typeV)

/**
 * The functions that transformMap() and transformMapEntry() expand to: they insert one entry, or all entries of another
 * map.
 */
export const twoVariables: Library = [
  [
    'cel.@mapInsert',
    [
      fn(
        '@mapInsert_map_key_value',
        [mapOfV, typeK, typeV],
        mapOfV,
        ([map = null, key = null, value = null]) => insert(map, [[key, value]]),
      ),
      fn('@mapInsert_map_map', [mapOfV, mapOfV], mapOfV, ([map = null, other = null]) =>
        isMap(other)
          ? insert(
              map,
              mapKeys(other).map((key) => [key, mapFind(other, key) ?? null]),
            )
          : noSuchOverload,
      ),
    ],
  ],
]

function insert(map: Value, added: readonly (readonly [Value, Value])[]): Value {
  if (!isMap(map) || map.kind !== 'map') return noSuchOverload
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
