import type { Json } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { ApiError, badRequest } from '../endpoints/api-error.ts'
import { copyJson, isObject, type JsonObject, member } from '../json/json-value.ts'
import { withoutDirectives } from './directives.ts'

/** How the items of one list merge. */
export interface ListMerge {
  /** The member that identifies an item; `undefined`: the list is a set of values. */
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

/** Puts a list into the order that `$setElementOrder` gives; items it does not name keep their place among themselves. */
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
  for (const item of patch) if (!all.some((each) => sameJson(each, item))) all.push(item)
  return all.map(copyJson)
}

function mergeByKey(
  current: readonly Json[],
  patch: readonly Json[],
  key: string,
  { mergeItem }: ListMerge,
): Json[] {
  const merged = current.map(copyJson)
  for (const item of patch) {
    if (!isObject(item)) throw badRequest(`a list that merges by ${key} must hold objects`)
    const identity = member(item, key)
    if (identity === undefined) {
      // Upstream takes it for a fault of its own.
      throw new ApiError(
        500,
        '',
        `map: ${goText(item)} does not contain declared merge key: ${key}`,
      )
    }
    const at = merged.findIndex((each) => isObject(each) && sameIdentity(each, identity, key))
    if (item.$patch === 'delete') {
      if (at !== -1) merged.splice(at, 1)
    } else if (at === -1) {
      merged.push(mergeItem({}, item))
    } else {
      merged[at] = mergeItem(merged[at] as JsonObject, item)
    }
  }
  return merged
}

function sameIdentity(item: JsonObject, identity: Json, key: string): boolean {
  const own = member(item, key)
  return own !== undefined && sameJson(own, identity)
}

/**
 * Items named by `order` come in that order, the others in the order of `previous`; the two rows are then merged so that an
 * unnamed item stands before a named one only where it did so before.
 */
function arrange(
  list: readonly Json[],
  order: readonly Json[],
  previous: readonly Json[],
  key: string | undefined,
): Json[] {
  const place = (row: readonly Json[], item: Json) => row.findIndex((each) => same(each, item, key))
  const byPlaceIn = (row: readonly Json[]) => (a: Json, b: Json) => place(row, a) - place(row, b)
  const named = list.filter((item) => place(order, item) !== -1).sort(byPlaceIn(order))
  const unnamed = list.filter((item) => place(order, item) === -1).sort(byPlaceIn(previous))
  const result: Json[] = []
  while (named.length > 0 && unnamed.length > 0) {
    const [n = null] = named
    const [u = null] = unnamed
    const [placeOfNamed, placeOfUnnamed] = [place(previous, n), place(previous, u)]
    const unnamedFirst =
      placeOfUnnamed !== -1 && placeOfNamed !== -1 && placeOfUnnamed < placeOfNamed
    result.push(unnamedFirst ? u : n)
    if (unnamedFirst) unnamed.shift()
    else named.shift()
  }
  return [...result, ...named, ...unnamed]
}

function same(a: Json, b: Json, key: string | undefined): boolean {
  if (key === undefined) return sameJson(a, b)
  if (!isObject(a) || !isObject(b)) return false
  const [left, right] = [member(a, key), member(b, key)]
  return left !== undefined && right !== undefined && sameJson(left, right)
}

/** A value as Go prints it with %v: `map[a:1 b:[x y]]`. */
function goText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isObject(value)) return value === null ? '<nil>' : String(value)
  const members = Object.keys(value).sort()
  return `map[${members.map((name) => `${name}:${goText(value[name] ?? null)}`).join(' ')}]`
}
