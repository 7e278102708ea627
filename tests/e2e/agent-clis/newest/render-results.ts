/** The report of vitest, as far as it is read. */
export interface TestResults {
  readonly testResults: readonly {
    readonly message?: string
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
      readonly failureMessages?: readonly string[] | null
    }[]
  }[]
}

const columns = ['CLI', 'VERSION', 'CASE', 'RESULT'] as const
const longestCause = 160

/** A table with a row for each case of each CLI. Cases that a CLI does not take part in are left out. */
export function renderResults(
  { testResults }: TestResults,
  versions: ReadonlyMap<string, string>,
): string {
  const cases = testResults.flatMap(({ assertionResults }) => assertionResults)
  const rows = cases
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ ancestorTitles: [cli = ''], title, status, failureMessages }) => {
      const cause = failureMessages?.[0]?.split('\n')[0]?.slice(0, longestCause)
      const result = cause === undefined ? status : `${status}: ${cause}`
      return [cli, versions.get(cli) ?? '', title, result]
    })
  const table = [[...columns], ...rows]
  const widths = columns.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)))
  const lines = table.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  // Such as a platform that did not start.
  const problems = testResults.flatMap(({ message }) => message || [])
  const notice = rows.length === 0 ? ['No case was run.'] : []
  return [...lines, ...notice, ...problems, ''].join('\n')
}
