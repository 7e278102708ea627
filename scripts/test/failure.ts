/** A failed test or check, with the reason. */
export interface Failure {
  /** The file of a test or hook. */
  readonly file?: string
  /** File and name of a test, or the name of a check. */
  readonly where: string
  readonly why: string
}

/**
 * The maximum number of lines for all failures together, because people usually see only the end of a long log.
 */
const mostLines = 100
const longestLine = 200

/**
 * The failures as lines for the end of the output. The more failures, the fewer lines for each, but at least its first
 * line.
 */
export function failureLines(failures: readonly Failure[], title = 'failed:'): string[] {
  if (failures.length === 0) return []
  const reported = failures.slice(0, mostLines / 2)
  const each = Math.floor(mostLines / reported.length) - 1
  const lines = reported.flatMap(({ where, why }) => [`  ${where}`, ...reasonLines(why, each)])
  const untold = failures.length - reported.length
  return [title, ...lines, ...(untold > 0 ? [`  and ${untold} more`] : [])].map(shortened)
}

function reasonLines(why: string, most: number): string[] {
  const lines = why.split('\n').filter((line) => line.trim() !== '')
  const left = lines.length - most
  return [...lines.slice(0, most), ...(left > 0 && most > 1 ? ['…'] : [])].map(
    (line) => `    ${line}`,
  )
}

function shortened(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line
}
