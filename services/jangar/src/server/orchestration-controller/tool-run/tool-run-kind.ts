import { toolRun } from '@agents/jangar-api'
import type { RunKind } from '../../jobs/run-kind.ts'
import { annotations, labels } from '../../kubernetes/labels.ts'

/** How Jobs and pods name the ToolRun that they belong to. */
export const toolRunKind: RunKind = {
  owner: { ...toolRun, namespaced: true },
  label: labels.toolRun,
  annotation: annotations.toolRun,
  jobs: 'tool',
}
