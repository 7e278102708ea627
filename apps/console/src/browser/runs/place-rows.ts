/** An element of a list, and the item that it shows. */
export interface PlacedRow {
  /** The element stays the same while this does. */
  readonly element: number
  readonly item: string
}

/**
 * Which element shows which item, in the order of the document. Elements of items that are no longer shown are used for
 * those that now are: browsers take far longer to make an element than to change its text. While the list is scrolled,
 * elements stay where they are in the document; at rest they are in the order of the items, in which they are read out.
 */
export function placeRows(
  before: readonly PlacedRow[],
  items: readonly string[],
  isAtRest: boolean,
): readonly PlacedRow[] {
  const shown = new Map(items.map((item, index) => [item, index]))
  const known = new Set(before.map(({ item }) => item))
  const added = items.filter((item) => !known.has(item))
  const placed: PlacedRow[] = []
  for (const row of before) {
    if (shown.has(row.item)) placed.push(row)
    else {
      const item = added.shift()
      if (item !== undefined) placed.push({ element: row.element, item })
    }
  }
  let next = Math.max(-1, ...before.map(({ element }) => element)) + 1
  for (const item of added) {
    placed.push({ element: next, item })
    next += 1
  }
  if (!isAtRest) return placed
  return placed.sort((a, b) => (shown.get(a.item) ?? 0) - (shown.get(b.item) ?? 0))
}
