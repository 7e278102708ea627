import type { ValuesReport } from './values-report.ts'

/** The report for people. Empty sections are omitted. */
export function valuesReportText(report: ValuesReport): string {
  const { since, added, removed, renamed, defaults, types, files, definitions } = report
  const changed = ({ path, before, after }: (typeof defaults)[number]) =>
    `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`
  const refused = files.filter((file) => file.refused.length > 0)
  return [
    ...section(
      `values that ${since} does not have`,
      added.map(({ path, default: fallback }) => `${path} (default ${JSON.stringify(fallback)})`),
    ),
    ...section(
      `values of ${since} that were removed`,
      removed.map(({ path }) => path),
    ),
    ...section(
      `values of ${since} that were replaced`,
      renamed.map(({ path, instead }) => `${path}: ${instead}`),
    ),
    ...section(`values with another default in ${since}`, defaults.map(changed)),
    ...section(`values with another type in ${since}`, types.map(changed)),
    ...section(
      `what custom resources lose if the definitions of ${since} are restored`,
      definitions.map(({ subject, problem }) => `${subject}: ${problem}`),
    ),
    ...section(
      `whether ${since} accepts the current values`,
      files.flatMap(({ file, refused: found }) => [
        `${found.length === 0 ? 'accepts' : 'REJECTS'} ${file}`,
        ...found.map(({ path, problem }) => `          ${path}: ${problem}`),
      ]),
    ),
    refused.length === 0
      ? `The schema of ${since} accepts all values files: the chart can be rolled back without changing values.`
      : `${since} rejects ${refused.length} of ${files.length} values files: revert chart and values in one commit, or remove these keys first.`,
    '',
  ].join('\n')
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), '']
}
