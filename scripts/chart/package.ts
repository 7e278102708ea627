import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { helmPath } from './helm-path.ts'
import { chartTime, packageChart } from './package-chart.ts'

/**
 * Packs the chart: the same commit gives the same bytes. `--destination FOLDER`, by default the current one. Helm 4 comes from HELM_BIN, or
 * from npm; the time in the package from SOURCE_DATE_EPOCH, or from the commit.
 */

const root = join(import.meta.dirname, '..', '..')
const chart = join(root, 'charts', 'agents')
const { values: flags } = parseArgs({
  options: { destination: { type: 'string', short: 'd', default: '.' } },
})
const time = await chartTime(chart, process.env.SOURCE_DATE_EPOCH)
const helm = await helmPath(process.env.HELM_BIN)
const { path, digest } = await packageChart(helm, chart, flags.destination, time)
console.log(`${digest}  ${relative(process.cwd(), path)}`)
