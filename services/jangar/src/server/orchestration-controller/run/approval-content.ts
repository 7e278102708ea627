import type { OrchestrationRun } from '@agents/jangar-api'
import type { ApprovalContent } from '../../approvals/approval-content.ts'
import type { OrchestrationSpec } from '../definition/graph.ts'

/** What an OrchestrationRun would execute; undefined until its graph is recorded. */
export function orchestrationRunContent({
  spec,
  status,
}: OrchestrationRun): ApprovalContent | undefined {
  const { digest, spec: graph } = status?.orchestration ?? {}
  if (digest === undefined || graph === undefined) return undefined
  const { orchestrationRef, parameters, timeoutSeconds, priority, resumeFrom } = spec
  return {
    digested: { graph: digest, orchestrationRef, parameters, timeoutSeconds, priority, resumeFrom },
    summary: [
      ['Orchestration', orchestrationRef.name],
      ['Parameters', JSON.stringify(parameters ?? {})],
      ['Resumes', resumeFrom?.name],
      ['Steps', stepsText(graph as unknown as OrchestrationSpec)],
    ],
  }
}

/** One line for each step, with the object that it refers to. */
export function stepsText({ steps = [] }: Pick<OrchestrationSpec, 'steps'>): string {
  return steps
    .map((step) => {
      const own = step.kind === 'MemoryOp' ? step.memoryRef : undefined
      const refs = [step.agentRef, step.toolRef, step.orchestrationRef, own].map((ref) => ref?.name)
      const ref = refs.find((name) => name !== undefined) ?? step.policyRef ?? ''
      const after = step.dependsOn?.length ? ` after ${step.dependsOn.join(', ')}` : ''
      const { text = step.implementationSpecRef?.name } = (step.implementation?.inline ?? {}) as {
        readonly text?: string
      }
      return `${step.name}: ${step.kind} ${ref}${after}${text === undefined ? '' : `: ${text}`}`
    })
    .join('\n')
}
