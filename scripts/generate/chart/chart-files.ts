import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { at, type RemovedValues, readValueTree, valuesSchema } from '@agents/chart-tools'
import { listSettings } from '@agents/config'
import { operator } from '@agents/gittarget'
import {
  kinds as gitTargetKinds,
  admissionPolicies as gitTargetPolicies,
} from '@agents/gittarget-api'
import { controllers, controlPlane } from '@agents/jangar'
import { kinds as agentsKinds, admissionPolicies as agentsPolicies } from '@agents/jangar-api'
import { parse } from 'yaml'
import { admissionFile } from './admission-file.ts'
import { withAnnotations } from './chart-annotations.ts'
import { envContract } from './env-contract.ts'
import { checkChartValues, envRows, envTemplate } from './env-template.ts'
import { kindsTemplate } from './kinds-template.ts'
import { valuesPage } from './values-page.ts'
import { variablesFile } from './variables-file.ts'

const chart = 'charts/agents'
const root = join(import.meta.dirname, '../../..')

/**
 * The generated files of the chart, from values.yaml, the kinds and the declared settings of the processes.
 */
export function chartFiles(): readonly (readonly [path: string, content: string])[] {
  const read = (path: string) => readFileSync(join(root, chart, path), 'utf8')
  const values = readValueTree(read('values.yaml'))
  const removed: RemovedValues = parse(read('files/removed-values.yaml'))
  checkChartValues(listSettings(operator), values)
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
    [
      `${chart}/ci/variables.yaml`,
      variablesFile({ controlPlane, controllers, gitTargetController: operator }),
    ],
    [
      `${chart}/files/admission-policies.yaml`,
      admissionFile([...agentsPolicies, ...gitTargetPolicies]),
    ],
  ]
}
