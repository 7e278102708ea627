import type { Json } from '@agents/crd'
import { identityOf } from '../json/identity.ts'
import { copyJson, isObject, type JsonObject, member } from '../json/json-value.ts'
import { ApiError, badRequest } from '../status/api-error.ts'
import { withoutDirectives } from './directives.ts'

/** How the items of one list merge. */
export interface ListMerge {
  /** The field that identifies an item; `undefined` for a set of values. */
  readonly key: string | undefined
  mergeItem(item: JsonObject, patch: JsonObject): JsonObject
}

/** Merges two lists: objects by their key, anything else as a set. */
export function mergeList(
  current: readonly Json[],
  patch: readonly Json[],
  merge: ListMerge,
): Json[] {
  if (patch.some((item) => isObject(item) && item.$patch === 'replace')) {
    return withoutDirectives([...patch]) as Json[]
  }
  const { key } = merge
  const merged = key === undefined ? union(current, patch) : mergeByKey(current, patch, key, merge)
  const given = patch.filter((item) => !(isObject(item) && Object.hasOwn(item, '$patch')))
  return arrange(merged, given, current, key)
}

/**
 * Sorts a list by `$setElementOrder`. Items that are not named keep their relative order.
 */
export function orderList(
  list: readonly Json[],
  order: Json,
  previous: Json | undefined,
  key: string | undefined,
): Json[] {
  if (!Array.isArray(order)) throw badRequest('$setElementOrder must be a list')
  return arrange(list, order, Array.isArray(previous) ? previous : [], key)
}

function union(current: readonly Json[], patch: readonly Json[]): Json[] {
  const all = [...current]
  const known = new Set(current.map(identityOf))
  for (const item of patch) {
    const identity = identityOf(item)
    if (known.has(identity)) continue
    known.add(identity)
    all.push(item)
  }
  return all.map(copyJson)
}

function mergeByKey(
  current: readonly Json[],
  patch: readonly Json[],
  key: string,
  { mergeItem }: ListMerge,
): Json[] {
  const merged: (Json | undefined)[] = current.map(copyJson)
  const places = placesOf(merged as Json[], key)
  for (const item of patch) {
    if (!isObject(item)) throw badRequest(`a list that merges by ${key} must hold objects`)
    const identity = member(item, key)
    if (identity === undefined) {
      // Upstream reports this as an internal error.
      throw new ApiError(
        500,
        '',
        `map: ${goText(item)} does not contain declared merge key: ${key}`,
      )
    }
    const name = identityOf(identity)
    const at = places.get(name)?.at(0)
    if (item.$patch === 'delete') {
      if (at === undefined) continue
      merged[at] = undefined
      places.get(name)?.shift()
    } else if (at === undefined) {
      places.set(name, [merged.length])
      merged.push(mergeItem({}, item))
    } else {
      merged[at] = mergeItem(merged[at] as JsonObject, item)
    }
  }
  return merged.filter((each) => each !== undefined)
}

/** The indexes of items by identity. */
function placesOf(list: readonly Json[], key: string | undefined): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [index, item] of list.entries()) {
    const identity = itemIdentity(item, key)
    if (identity === undefined) continue
    const known = places.get(identity)
    if (known === undefined) places.set(identity, [index])
    else known.push(index)
  }
  return places
}

/** The identity of an item; undefined if it lacks the key, so that no other item equals it. */
function itemIdentity(item: Json, key: string | undefined): string | undefined {
  if (key === undefined) return identityOf(item)
  const own = isObject(item) ? member(item, key) : undefined
  return own === undefined ? undefined : identityOf(own)
}

/**
 * Sorts items that `order` names in that order and the others in the order of `previous`, and then merges both so that
 * an unnamed item comes before a named one only if it did so before.
 */
function arrange(
  list: readonly Json[],
  order: readonly Json[],
  previous: readonly Json[],
  key: string | undefined,
): Json[] {
  const orderPlaces = placesOf(order, key)
  const previousPlaces = placesOf(previous, key)
  const placed = list.map((item): Placed => {
    const identity = itemIdentity(item, key)
    const place = (places: Map<string, number[]>) =>
      identity === undefined ? -1 : (places.get(identity)?.at(0) ?? -1)
    return { item, order: place(orderPlaces), previous: place(previousPlaces) }
  })
  const named = placed.filter((one) => one.order !== -1).sort((a, b) => a.order - b.order)
  const unnamed = placed.filter((one) => one.order === -1).sort((a, b) => a.previous - b.previous)
  const result: Json[] = []
  let [n, u] = [0, 0]
  for (;;) {
    const [first, second] = [named[n], unnamed[u]]
    if (first === undefined || second === undefined) break
    const unnamedFirst =
      second.previous !== -1 && first.previous !== -1 && second.previous < first.previous
    result.push(unnamedFirst ? second.item : first.item)
    if (unnamedFirst) u++
    else n++
  }
  const rest = [...named.slice(n), ...unnamed.slice(u)]
  return [...result, ...rest.map(({ item }) => item)]
}

interface Placed {
  readonly item: Json
  /** Index among the named items and previous index; -1 if absent. */
  readonly order: number
  readonly previous: number
}

/** A value as Go prints it with %v: `map[a:1 b:[x y]]`. */
function goText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isObject(value)) return value === null ? '<nil>' : String(value)
  const members = Object.keys(value).sort()
  return `map[${members.map((name) => `${name}:${goText(value[name] ?? null)}`).join(' ')}]`
}
