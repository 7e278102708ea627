import { sameJson } from '@agents/kube'
import { isMap, type Json } from './json.ts'

/**
 * For each new item the index of the old item that it continues; undefined for an item that was added. Items with a
 * name continue the old item of that name; others continue an equal item, or else the one at their position.
 */
export function alignItems(
  old: readonly (Json | undefined)[],
  items: readonly Json[],
): (number | undefined)[] {
  const names = indexByName(old)
  const taken = new Set<number>()
  const aligned = items.map((item) => {
    const name = nameOf(item)
    const index = name === undefined ? undefined : names.get(name)
    if (index === undefined || taken.has(index)) return undefined
    taken.add(index)
    return index
  })
  alignEqual(old, items, aligned, taken)
  alignByPosition(old, items, aligned, taken)
  return aligned
}

/** Only names that one item has. */
function indexByName(old: readonly (Json | undefined)[]): Map<string, number> {
  const names = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [index, item] of old.entries()) {
    const name = nameOf(item)
    if (name === undefined) continue
    if (names.has(name)) repeated.add(name)
    names.set(name, index)
  }
  for (const name of repeated) names.delete(name)
  return names
}

function nameOf(item: Json | undefined): string | undefined {
  return isMap(item) && typeof item.name === 'string' ? item.name : undefined
}

/** In order, so that a comparison of long lists stays linear: an item that moved counts as removed and added. */
function alignEqual(
  old: readonly (Json | undefined)[],
  items: readonly Json[],
  aligned: (number | undefined)[],
  taken: Set<number>,
): void {
  const added = items.length - old.length
  // In a list of the same length, an item that did not move is the same one, even if another item equals it now.
  for (const [index, item] of added === 0 ? items.entries() : []) {
    if (aligned[index] !== undefined || taken.has(index) || !sameJson(old[index], item)) continue
    aligned[index] = index
    taken.add(index)
  }
  let next = 0
  for (const [index, item] of items.entries()) {
    if (aligned[index] !== undefined) continue
    // Items are usually added or removed in one place, so the distance is at most their number.
    const last = Math.min(old.length - 1, next + Math.min(200, Math.abs(added)) + 8)
    for (let at = next; at <= last; at += 1) {
      if (taken.has(at) || !sameJson(old[at], item)) continue
      aligned[index] = at
      taken.add(at)
      next = at + 1
      break
    }
  }
}

/** What lies between the same neighbours in both lists was changed, not replaced. */
function alignByPosition(
  old: readonly (Json | undefined)[],
  items: readonly Json[],
  aligned: (number | undefined)[],
  taken: Set<number>,
): void {
  let before = -1
  for (const [index] of items.entries()) {
    const known = aligned[index]
    if (known !== undefined) {
      before = known
      continue
    }
    const at = before + 1
    if (at >= old.length || taken.has(at)) continue
    aligned[index] = at
    taken.add(at)
    before = at
  }
}
