import { type AdmissionPolicy, secretAccessPolicy } from '@agents/crd'
import { agent } from '../agents/agent/kind.ts'
import { implementationSource } from '../agents/implementation-source/kind.ts'
import { memory } from '../agents/memory/kind.ts'
import { versionControlProvider } from '../agents/version-control-provider/kind.ts'
import { tool } from '../tools/tool/kind.ts'
import {
  guardApprovalDecision,
  guardApprovalOutcome,
  guardApprovalRequest,
  guardDecisionResult,
  guardRequestDeletion,
} from './approvals.ts'
import { dropAttemptManagers } from './field-managers.ts'
import { guardImportedSpec } from './imported-specs.ts'
import { mcpSecretsPolicy } from './mcp-secrets.ts'
import { guardFrozenGraph, guardOrchestration, guardOrchestrationRun } from './orchestrations.ts'
import { guardRequestedBy, stampRequestedBy } from './requested-by.ts'
import { guardJobPods, guardRunJobs } from './run-pods.ts'
import {
  orchestrationSecretsPolicy,
  runSecretsPolicy,
  scheduleSecretsPolicy,
  sourceSecretsPolicy,
} from './run-secrets.ts'
import { guardSchedule, stampSchedule } from './schedules.ts'
import {
  agentSecrets,
  implementationSourceSecrets,
  memorySecrets,
  toolSecrets,
  versionControlProviderSecrets,
} from './secret-access.ts'
import { secretBindingPolicy } from './secret-bindings.ts'
import { guardImplementationSource, stampImplementationSource } from './sources.ts'
import { guardMemoryOperation } from './tool-runs.ts'
import { guardTriggeredBy } from './triggered-by.ts'

/** How each kind uses the Secrets that it refers to. */
export const secretAccessByKind = {
  Agent: agentSecrets,
  VersionControlProvider: versionControlProviderSecrets,
  Memory: memorySecrets,
  ImplementationSource: implementationSourceSecrets,
  Tool: toolSecrets,
} as const

/** Policies that keep users from accessing through the platform what they may not access themselves. */
export const admissionPolicies: readonly AdmissionPolicy[] = [
  secretAccessPolicy(agent, secretAccessByKind.Agent),
  mcpSecretsPolicy,
  secretAccessPolicy(versionControlProvider, secretAccessByKind.VersionControlProvider),
  secretAccessPolicy(memory, secretAccessByKind.Memory),
  secretAccessPolicy(implementationSource, secretAccessByKind.ImplementationSource),
  secretAccessPolicy(tool, secretAccessByKind.Tool),
  secretBindingPolicy,
  guardRequestedBy,
  stampRequestedBy,
  guardTriggeredBy,
  guardSchedule,
  stampSchedule,
  guardImplementationSource,
  stampImplementationSource,
  guardImportedSpec,
  guardOrchestration,
  guardOrchestrationRun,
  guardFrozenGraph,
  guardMemoryOperation,
  guardApprovalDecision,
  guardApprovalRequest,
  guardRequestDeletion,
  guardApprovalOutcome,
  guardDecisionResult,
  guardRunJobs,
  guardJobPods,
  dropAttemptManagers,
  runSecretsPolicy,
  scheduleSecretsPolicy,
  orchestrationSecretsPolicy,
  sourceSecretsPolicy,
]
