/** Longer texts are shown as removed and added as a whole, because a comparison takes time in proportion to both. */
const mostLines = 2_000
const context = 3

/** The changed lines of a text with some lines around them, marked with `-` and `+` as in a unified diff. */
export function lineDiff(before: string, after: string): string[] {
  const marked = markLines(linesOf(before), linesOf(after))
  const isNear = marked.map((_, index) =>
    marked
      .slice(Math.max(0, index - context), index + context + 1)
      .some((line) => !line.startsWith(' ')),
  )
  return marked.flatMap((line, index) => {
    if (isNear[index]) return [line]
    return isNear[index - 1] ? ['…'] : []
  })
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function markLines(before: readonly string[], after: readonly string[]): string[] {
  if (before.length > mostLines || after.length > mostLines) {
    return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
  }
  const common = longestCommon(before, after)
  const marked: string[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      marked.push(` ${before[i]}`)
      i += 1
      j += 1
    } else if (
      i < before.length &&
      (j === after.length || (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))
    ) {
      marked.push(`-${before[i]}`)
      i += 1
    } else {
      marked.push(`+${after[j]}`)
      j += 1
    }
  }
  return marked
}

/** Length of the longest common sequence of the rest of both texts, from each pair of lines on. */
function longestCommon(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const [row, below] = [lengths[i], lengths[i + 1]]
    if (row === undefined || below === undefined) continue
    for (let j = after.length - 1; j >= 0; j -= 1) {
      row[j] =
        before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return lengths
}
