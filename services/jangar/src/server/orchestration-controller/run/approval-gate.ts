import type { ResourceCache } from '@agents/controller'
import {
  type ApprovalPolicy,
  type ApprovalRequest,
  type OrchestrationRun,
  requestedByAnnotation,
} from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { summaryText } from '../../approvals/approval-content.ts'
import { conditionOf } from '../../kubernetes/condition-of.ts'
import { digestOf } from '../../kubernetes/digest.ts'
import { approvalRules } from '../../primitives-policy/approvals/approval-rules.ts'
import type { OrchestrationSpec, RawStep } from '../definition/graph.ts'
import type { Outputs } from '../plan/plan-states.ts'
import { stepsText } from './approval-content.ts'

/**
 * The request of a step of kind ApprovalGate: about the frozen graph, the parameters of the run and the values that the
 * step shows.
 */
export function gateSpec(
  step: RawStep,
  run: OrchestrationRun,
  policies: Pick<ResourceCache<ApprovalPolicy>, 'get'>,
  now: Date,
): object {
  const { namespace, name, uid = '', annotations } = run.metadata
  const { orchestrationRef, parameters, resumeFrom } = run.spec
  const { digest, spec: graph } = run.status?.orchestration ?? {}
  const policyName = step.policyRef ?? ''
  const policy = policies.get(formatKey({ namespace, name: policyName }))
  const rules = policy && approvalRules(policy)
  const seconds = rules === undefined || 'reason' in rules ? undefined : rules.expiresAfterSeconds
  const subject = { kind: 'OrchestrationRun', name, uid, step: step.name }
  const following = followingSteps(graph as unknown as OrchestrationSpec, step.name)
  const requestedBy = annotations?.[requestedByAnnotation]
  return {
    subject,
    policyRef: { name: policyName },
    digest: digestOf({
      subject: { ...subject, namespace },
      content: { graph: digest, orchestrationRef, parameters, resumeFrom, values: step.with },
    }),
    summary: summaryText({
      summary: [
        ['Orchestration', `${orchestrationRef.name}, step ${step.name}`],
        ['Parameters', JSON.stringify(parameters ?? {})],
        ['Values', step.with && JSON.stringify(step.with, undefined, 2)],
        ['Steps that follow', stepsText({ steps: following }) || 'none'],
      ],
    }),
    ...(requestedBy !== undefined && { requestedBy }),
    ...(seconds !== undefined && {
      deadline: rfc3339(new Date(now.getTime() + seconds * 1000)),
    }),
  }
}

/** The steps that depend on this one, directly or through others, in the order of the graph. */
function followingSteps({ steps = [] }: OrchestrationSpec, name: string): RawStep[] {
  const found = new Set([name])
  for (let before = 0; before !== found.size; ) {
    before = found.size
    for (const step of steps) {
      if (step.dependsOn?.some((one) => found.has(one))) found.add(step.name)
    }
  }
  return steps.filter((step) => step.name !== name && found.has(step.name)) as RawStep[]
}

/** Who decided, and why. */
export function gateOutputs(request: ApprovalRequest): Outputs {
  const { decisions = [] } = request.status ?? {}
  return {
    decision: conditionOf(request, 'Succeeded')?.reason ?? '',
    decidedBy: decisions.map(({ username }) => username).join(', '),
    comment: decisions.flatMap(({ comment }) => comment ?? []).join('\n'),
  }
}
