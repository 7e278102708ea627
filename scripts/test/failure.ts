/** Something that failed, with what is known of why. */
export interface Failure {
  /** File and name of a test, or the name of a check. */
  readonly where: string
  readonly why: string
}

/** So many lines are told of all failures together, however many there are: the end of a long record is what people get to see. */
const MOST_LINES = 100
const LONGEST_LINE = 200

/** The failures as lines for the end of the output; fewer lines for each the more there are, but never less than its first. */
export function failureLines(failures: readonly Failure[]): string[] {
  if (failures.length === 0) return []
  const told = failures.slice(0, MOST_LINES / 2)
  const each = Math.floor(MOST_LINES / told.length) - 1
  const lines = told.flatMap(({ where, why }) => [`  ${where}`, ...reasonLines(why, each)])
  const untold = failures.length - told.length
  return ['failed:', ...lines, ...(untold > 0 ? [`  and ${untold} more`] : [])].map(shortened)
}

function reasonLines(why: string, most: number): string[] {
  const lines = why.split('\n').filter((line) => line.trim() !== '')
  const left = lines.length - most
  return [...lines.slice(0, most), ...(left > 0 && most > 1 ? ['…'] : [])].map(
    (line) => `    ${line}`,
  )
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line
}
