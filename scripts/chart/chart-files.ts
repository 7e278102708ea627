import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listSettings } from '@agents/config'
import { kinds as gitTargetKinds } from '@agents/gittarget-api'
import { controllers, controlPlane } from '@agents/jangar'
import { kinds as agentsKinds } from '@agents/jangar-api'
import { parse } from 'yaml'
import { withAnnotations } from './chart-annotations.ts'
import { at } from './compat/chart-snapshot.ts'
import { envContract } from './env-contract.ts'
import { envRows, envTemplate } from './env-template.ts'
import { kindsTemplate } from './kinds-template.ts'
import { readValueTree } from './value-tree.ts'
import { valuesPage } from './values-page.ts'
import { type RemovedValues, valuesSchema } from './values-schema.ts'

const chart = 'charts/agents'
const root = join(import.meta.dirname, '..', '..')

/** What of the chart is derived: from values.yaml, from the kinds, and from the declarations of the processes' settings. */
export function chartFiles(): readonly (readonly [path: string, content: string])[] {
  const read = (path: string) => readFileSync(join(root, chart, path), 'utf8')
  const values = readValueTree(read('values.yaml'))
  const removed: RemovedValues = parse(read('files/removed-values.yaml'))
  const rows = envRows([...listSettings(controlPlane), ...listSettings(controllers)], values)
  const services = { jangar: agentsKinds, gittarget: gitTargetKinds }
  const repository = String(at(parse(read('values.yaml')), 'image', 'repository'))
  const kinds = [...agentsKinds, ...gitTargetKinds]
  return [
    [`${chart}/Chart.yaml`, withAnnotations(read('Chart.yaml'), kinds, repository)],
    [`${chart}/values.schema.json`, valuesSchema(values, removed)],
    [`${chart}/VALUES.md`, valuesPage(values, rows)],
    [`${chart}/templates/_env.tpl`, envTemplate(rows)],
    [`${chart}/templates/_kinds.tpl`, kindsTemplate(services)],
    [`${chart}/files/env-contract.yaml`, envContract(rows)],
  ]
}
