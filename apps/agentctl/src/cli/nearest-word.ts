/** The known word closest to a mistyped one; undefined if none is similar. */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  const begun = words.filter((word) => wanted.length > 1 && word.startsWith(wanted))
  if (begun.length > 0) return begun.toSorted((a, b) => a.length - b.length)[0]
  const ranked = words
    .map((word) => ({ word, distance: editDistance(wanted, word) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= Math.max(1, Math.floor(wanted.length / 3))
    ? best.word
    : undefined
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      )
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return at(last, to.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
