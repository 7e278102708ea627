import type { AnyKind } from '@agents/crd'
import { agent } from './agents/agent/kind.ts'
import { agentProvider } from './agents/agent-provider/kind.ts'
import { agentRun } from './agents/agent-run/kind.ts'
import { implementationSource } from './agents/implementation-source/kind.ts'
import { implementationSpec } from './agents/implementation-spec/kind.ts'
import { memory } from './agents/memory/kind.ts'
import { versionControlProvider } from './agents/version-control-provider/kind.ts'
import { approvalDecision } from './approvals/approval-decision/kind.ts'
import { approvalPolicy } from './approvals/approval-policy/kind.ts'
import { approvalRequest } from './approvals/approval-request/kind.ts'
import { artifact } from './artifacts/artifact/kind.ts'
import { budget } from './budgets/budget/kind.ts'
import { orchestration } from './orchestration/orchestration/kind.ts'
import { orchestrationRun } from './orchestration/orchestration-run/kind.ts'
import { schedule } from './schedules/schedule/kind.ts'
import { secretBinding } from './security/secret-binding/kind.ts'
import { signal } from './signals/signal/kind.ts'
import { signalDelivery } from './signals/signal-delivery/kind.ts'
import { tool } from './tools/tool/kind.ts'
import { toolRun } from './tools/tool-run/kind.ts'
import { unreconciledKinds } from './unreconciled-kinds.ts'
import { workspace } from './workspaces/workspace/kind.ts'

/** Every kind of the agents groups. */
export const kinds: readonly AnyKind[] = [
  agent,
  agentRun,
  agentProvider,
  implementationSpec,
  implementationSource,
  versionControlProvider,
  memory,
  schedule,
  signal,
  signalDelivery,
  orchestration,
  orchestrationRun,
  tool,
  toolRun,
  secretBinding,
  workspace,
  approvalPolicy,
  approvalRequest,
  approvalDecision,
  artifact,
  budget,
  ...unreconciledKinds,
]
