import type { LivingConditions, RunConditions } from '@agents/status'
import { agentConditions } from './agents/agent/conditions.ts'
import { agentProviderConditions } from './agents/agent-provider/conditions.ts'
import { agentRunConditions } from './agents/agent-run/conditions.ts'
import { implementationSourceConditions } from './agents/implementation-source/conditions.ts'
import { implementationSpecConditions } from './agents/implementation-spec/conditions.ts'
import { memoryConditions } from './agents/memory/conditions.ts'
import { versionControlProviderConditions } from './agents/version-control-provider/conditions.ts'
import { approvalDecisionConditions } from './approvals/approval-decision/conditions.ts'
import { approvalPolicyConditions } from './approvals/approval-policy/conditions.ts'
import { approvalRequestConditions } from './approvals/approval-request/conditions.ts'
import { artifactConditions } from './artifacts/artifact/conditions.ts'
import { budgetConditions } from './budgets/budget/conditions.ts'
import { orchestrationConditions } from './orchestration/orchestration/conditions.ts'
import { orchestrationRunConditions } from './orchestration/orchestration-run/conditions.ts'
import { scheduleConditions } from './schedules/schedule/conditions.ts'
import { secretBindingConditions } from './security/secret-binding/conditions.ts'
import { signalConditions } from './signals/signal/conditions.ts'
import { signalDeliveryConditions } from './signals/signal-delivery/conditions.ts'
import { toolConditions } from './tools/tool/conditions.ts'
import { toolRunConditions } from './tools/tool-run/conditions.ts'
import { workspaceConditions } from './workspaces/workspace/conditions.ts'

/** The conditions of each kind. */
export const conditionsByKind: Readonly<Record<string, LivingConditions | RunConditions>> = {
  Agent: agentConditions,
  AgentRun: agentRunConditions,
  AgentProvider: agentProviderConditions,
  ImplementationSpec: implementationSpecConditions,
  ImplementationSource: implementationSourceConditions,
  VersionControlProvider: versionControlProviderConditions,
  Memory: memoryConditions,
  Orchestration: orchestrationConditions,
  OrchestrationRun: orchestrationRunConditions,
  Tool: toolConditions,
  ToolRun: toolRunConditions,
  ApprovalPolicy: approvalPolicyConditions,
  ApprovalRequest: approvalRequestConditions,
  ApprovalDecision: approvalDecisionConditions,
  Budget: budgetConditions,
  SecretBinding: secretBindingConditions,
  Signal: signalConditions,
  SignalDelivery: signalDeliveryConditions,
  Schedule: scheduleConditions,
  Artifact: artifactConditions,
  Workspace: workspaceConditions,
}
