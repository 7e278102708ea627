import type { AgentRun } from '@agents/jangar-api'
import type { Condition } from '@agents/kube'

export function conditionOf({ status }: AgentRun, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type)
}

export function isTrue(run: AgentRun, type: string): boolean {
  return conditionOf(run, type)?.status === 'True'
}
