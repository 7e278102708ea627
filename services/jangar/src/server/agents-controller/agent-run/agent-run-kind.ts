import { agentRun } from '@agents/jangar-api'
import type { RunKind } from '../../jobs/run-kind.ts'
import { annotations, labels } from '../../kubernetes/labels.ts'

/** How Jobs and pods name the AgentRun that they belong to. */
export const agentRunKind: RunKind = {
  owner: { ...agentRun, namespaced: true },
  label: labels.agentRun,
  annotation: annotations.agentRun,
}
