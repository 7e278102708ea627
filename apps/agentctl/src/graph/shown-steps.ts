import type { Orchestration, OrchestrationRun } from '@agents/jangar-api'
import type { ShownStep } from './draw-graph.ts'

type Step = Orchestration['spec']['steps'][number]
type StepStatus = NonNullable<NonNullable<OrchestrationRun['status']>['stepStatuses']>[number]

/** The steps of a graph, with what became of them in a run. */
export function shownSteps(
  spec: Pick<Orchestration['spec'], 'steps'> | undefined,
  statuses: readonly StepStatus[] = [],
): ShownStep[] {
  const byName = new Map(statuses.map((status) => [status.name, status]))
  return (spec?.steps ?? []).map((step) => {
    const status = byName.get(step.name)
    return {
      name: step.name,
      kind: step.kind,
      dependsOn: step.dependsOn,
      finally: step.finally,
      runAfter: step.runAfter,
      refers: referenceOf(step),
      when: step.when,
      forEach:
        step.forEach && (step.forEach.from ?? `${step.forEach.items?.length ?? 0} given items`),
      ...(status && {
        status: {
          phase: status.phase ?? 'Pending',
          reason: status.reason,
          message: status.message,
          items: itemsOf(status),
        },
      }),
    }
  })
}

function referenceOf(step: Step): string | undefined {
  const { signalRef } = step
  const signal =
    typeof signalRef === 'object' && signalRef !== null && 'name' in signalRef
      ? signalRef.name
      : signalRef
  switch (step.kind) {
    case 'AgentRun':
      return step.agentRef?.name ?? step.with?.agentRef
    case 'ToolRun':
      return step.toolRef?.name
    case 'SubOrchestration':
      return step.orchestrationRef?.name
    case 'ApprovalGate':
      return step.policyRef
    case 'MemoryOp':
      return [step.with?.op, step.memoryRef?.name].filter(Boolean).join(' ')
    case 'SignalWait':
      return typeof signal === 'string' ? signal : undefined
    default:
      return undefined
  }
}

function itemsOf({ items = [] }: StepStatus): string | undefined {
  if (items.length === 0) return undefined
  const done = items.filter(({ phase }) => phase === 'Succeeded').length
  return `${done} of ${items.length} items succeeded`
}
