import type { ValuesReport } from './values-report.ts'

/** The report for people; what there is nothing of is left out. */
export function valuesReportText(report: ValuesReport): string {
  const { since, added, removed, renamed, defaults, types, files, definitions } = report
  const changed = ({ path, before, after }: (typeof defaults)[number]) =>
    `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`
  const refused = files.filter((file) => file.refused.length > 0)
  return [
    ...section(
      `values that ${since} does not know`,
      added.map(({ path, default: fallback }) => `${path} (default ${JSON.stringify(fallback)})`),
    ),
    ...section(
      `values of ${since} that are gone`,
      removed.map(({ path }) => path),
    ),
    ...section(
      `values of ${since} that are written otherwise now`,
      renamed.map(({ path, instead }) => `${path}: ${instead}`),
    ),
    ...section(`defaults that ${since} has otherwise`, defaults.map(changed)),
    ...section(`values of which ${since} takes something else`, types.map(changed)),
    ...section(
      `what custom resources lose when the definitions of ${since} come back`,
      definitions.map(({ subject, problem }) => `${subject}: ${problem}`),
    ),
    ...section(
      `what ${since} says to the values of today`,
      files.flatMap(({ file, refused: found }) => [
        `${found.length === 0 ? 'takes  ' : 'REFUSES'} ${file}`,
        ...found.map(({ path, problem }) => `          ${path}: ${problem}`),
      ]),
    ),
    refused.length === 0
      ? `The schema of ${since} takes all of them: the chart can go back, and the values may stay.`
      : `${since} refuses ${refused.length} of ${files.length}: revert chart and values in one commit, or take these keys out first.`,
    '',
  ].join('\n')
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), '']
}
