import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { helmPath } from '../helm/helm-path.ts'
import { packageChart } from '../helm/package-chart.ts'
import { sourceTime } from '../helm/source-time.ts'

/**
 * Packages the chart: the same commit gives the same bytes. `--destination FOLDER` defaults to the current one. Helm 4
 * is that of HELM_BIN, or the one from npm; the time in the package is SOURCE_DATE_EPOCH, or that of the commit.
 */

const root = join(import.meta.dirname, '../../../..')
const chart = join(root, 'charts', 'agents')
const { values: flags } = parseArgs({
  options: { destination: { type: 'string', short: 'd', default: '.' } },
})
const time = await sourceTime(chart, process.env.SOURCE_DATE_EPOCH)
const helm = await helmPath(process.env.HELM_BIN)
const { path, digest } = await packageChart(helm, chart, flags.destination, time)
console.log(`${digest}  ${relative(process.cwd(), path)}`)
