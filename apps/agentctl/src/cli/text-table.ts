/**
 * Rows with their cells below each other, three spaces between them; ends with a newline unless there is no row. `widths` are
 * those of the columns so far, which grow with the rows: for rows that come later and belong below.
 */
export function columns(rows: readonly (readonly string[])[], widths: number[] = []): string {
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
    }
  }
  return rows
    .map((row) => {
      const padded = row.map((cell, index) => cell.padEnd(widths[index] ?? 0))
      return `${padded.join('   ').trimEnd()}\n`
    })
    .join('')
}

/** Every line of a text further right. */
export function indented(text: string, spaces: number): string {
  const margin = ' '.repeat(spaces)
  return text.replace(/^(?=.)/gm, margin)
}
