import type { Json } from '@agents/crd'
import { isObject, type JsonObject, setMember } from '../json/json-value.ts'
import { type FieldType, type ListType, type MapType, memberType, shapeOf } from './field-type.ts'
import { listItemElement } from './list-item-element.ts'
import type { PathElement } from './path-element.ts'

/**
 * Merges `applied` into `live`. Nothing is removed, and applied leaves win. The result shares parts with both, and is
 * `live` itself if nothing changes. Throws TypedError.
 */
export function merge(type: FieldType, live: Json, applied: Json): Json {
  return mergeAt(type, live, applied) ?? null
}

type Maybe = Json | undefined

function mergeAt(type: FieldType, live: Maybe, applied: Maybe): Maybe {
  if (applied === undefined) return live
  if (live === applied) return live
  const shape = shapeOf(type, applied)
  if (shape === 'map' && type.map !== undefined && !type.map.atomic) {
    const old = isObject(live) ? live : {}
    const desired = isObject(applied) ? applied : {}
    if (Object.keys(old).length > 0 || Object.keys(desired).length > 0) {
      return mergeMembers(type.map, old, desired)
    }
  }
  if (shape === 'list' && type.list !== undefined && !type.list.atomic) {
    const old = Array.isArray(live) ? live : []
    const desired = Array.isArray(applied) ? applied : []
    if (old.length > 0 || desired.length > 0) return mergeItems(type.list, old, desired)
  }
  return applied
}

function mergeMembers(map: MapType, live: JsonObject, applied: JsonObject): JsonObject {
  const changed: JsonObject = {}
  let isChanged = false
  for (const name of Object.keys(applied)) {
    const desired = applied[name]
    const old = Object.hasOwn(live, name) ? live[name] : undefined
    const next = old === undefined ? desired : mergeAt(memberType(map, name), old, desired)
    if (next === old && next !== undefined) continue
    setMember(changed, name, next ?? null)
    isChanged = true
  }
  // `__proto__` is a member like any other: a spread defines it, where an assignment would not store it.
  return isChanged ? { ...live, ...changed } : live
}

/**
 * Merges lists. Applied items keep their order; items that are only in `live` keep their position relative to the
 * shared ones. A live item that occurs twice is replaced by the applied one.
 */
function mergeItems(list: ListType, live: Json[], applied: Json[]): Json[] {
  const liveElements = live.map((item) => listItemElement(list, item))
  const appliedElements = applied.map((item) => listItemElement(list, item))
  if (live.length === 0) return applied
  const liveItems = new Map<PathElement, Json>()
  for (const [index, element] of liveElements.entries()) {
    liveItems.set(element, liveItems.has(element) ? null : (live[index] ?? null))
  }
  const wanted = new Set(appliedElements)
  const shared = appliedElements.filter((element) => liveItems.has(element))
  const out: Json[] = []
  const merged = new Set<PathElement>()
  let nextShared = 0
  const take = (index: number): void => {
    const element = appliedElements[index] ?? ''
    merged.add(element)
    if (shared[nextShared] === element) nextShared++
    const item = mergeAt(list.items, liveItems.get(element), applied[index])
    if (item !== undefined) out.push(item)
  }

  let left = 0
  let right = 0
  while (left < live.length || right < applied.length) {
    const element = liveElements[left]
    if (element !== undefined && right < applied.length) {
      if (element === appliedElements[right]) {
        take(right++)
        left++
        continue
      }
      const awaited = shared[nextShared]
      if (wanted.has(element) && awaited !== undefined && awaited !== element) {
        left++
        continue
      }
    }
    if (element !== undefined) {
      if (!wanted.has(element)) {
        out.push(live[left++] ?? null)
        continue
      }
      if (merged.has(element)) left++
    }
    if (right < applied.length) take(right++)
  }
  return out.length === live.length && out.every((item, index) => item === live[index]) ? live : out
}
