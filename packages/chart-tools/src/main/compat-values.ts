import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Baseline, readBaselines, readDeclarations } from '../compat/baseline.ts'
import { readSet, shippedValues } from '../compat/values-files.ts'
import { reportValues, type ValuesReport } from '../compat/values-report.ts'
import { valuesReportText } from '../compat/values-report-text.ts'

/**
 * chart-compat values: reports how the values of the chart changed since a release, and which current values that
 * release would reject after a revert. `--values FILE` (several are merged, `-` is stdin) replaces the shipped values;
 * `--since VERSION` defaults to the last release; `--json`. Exit 0: the older schema accepts all values; 1: it rejects
 * some; 2: an error.
 */

const root = join(import.meta.dirname, '../../../..')

try {
  const { values: flags } = parseArgs({
    options: {
      chart: { type: 'string', default: join(root, 'charts', 'agents') },
      since: { type: 'string' },
      values: { type: 'string', short: 'f', multiple: true },
      json: { type: 'boolean', default: false },
    },
  })
  const report = await makeReport(flags.chart, flags.since, flags.values)
  process.stdout.write(
    flags.json ? `${JSON.stringify(report, null, 2)}\n` : valuesReportText(report),
  )
  process.exitCode = report.files.some(({ refused }) => refused.length > 0) ? 1 : 0
} catch (error) {
  console.error(`chart-compat values: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 2
}

async function makeReport(
  chart: string,
  since: string | undefined,
  given: readonly string[] | undefined,
): Promise<ValuesReport> {
  const { version, snapshot } = chosen(await readBaselines(chart), since)
  const now = { ...(await readDeclarations(chart)), profiles: {} }
  const files =
    given === undefined ? await shippedValues(root, chart) : [await readSet(given, process.cwd())]
  return reportValues(version, snapshot, now, files)
}

function chosen(baselines: readonly Baseline[], since: string | undefined): Baseline {
  const found =
    since === undefined ? baselines.at(-1) : baselines.find(({ version }) => version === since)
  if (found !== undefined) return found
  const known = baselines.map(({ version }) => version).join(', ')
  throw new Error(
    `baseline ${since ?? 'of any version'} does not exist; existing ones: ${known || 'none'}`,
  )
}
