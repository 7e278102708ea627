/**
 * Rows with their cells below each other, three spaces between them; ends with a newline unless there is no row.
 * `widths` are those of the columns so far, which grow with the rows: for rows that come later and belong below.
 */
export function columns(cells: readonly (readonly string[])[], widths: number[] = []): string {
  // A line break in a message must not look like another row.
  const rows = cells.map((row) => row.map((cell) => oneLine(cell.trimEnd())))
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
  // Only a line feed ends a line here: a carriage return is a character of the text.
  return text.replace(/(^|\n)(?=[^\n])/g, `$1${margin}`)
}

/** Reads each run of blanks once. A pattern with blanks before and after the break would read a long run many times. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks))
}
