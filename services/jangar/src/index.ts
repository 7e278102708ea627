export {
  type ControlPlaneConfig,
  controlPlane,
  controlPlaneRules,
} from './config/control-plane.ts'
export { type ControllersConfig, controllers, controllersRules } from './config/controllers.ts'
export { agentController } from './server/agents-controller/agent/agent-controller.ts'
export { agentProviderController } from './server/agents-controller/agent-provider/agent-provider-controller.ts'
export { agentRunController } from './server/agents-controller/agent-run/agent-run-controller.ts'
export { implementationSourceController } from './server/agents-controller/implementation-source/implementation-source-controller.ts'
export { implementationSpecController } from './server/agents-controller/implementation-spec/implementation-spec-controller.ts'
export { memoryController } from './server/agents-controller/memory/memory-controller.ts'
export type { AgentsPorts } from './server/agents-controller/ports.ts'
export { vcsTokenSecret } from './server/agents-controller/version-control-provider/vcs-token-secret.ts'
export { versionControlProviderController } from './server/agents-controller/version-control-provider/version-control-provider-controller.ts'
export type { ArchivedRuns } from './server/api/archived-runs.ts'
export { type LocalArchive, openLocalArchive } from './server/archive/local-archive.ts'
export type { Archive } from './server/archive/open-archive.ts'
export { artifactSettings } from './server/artifacts/artifact-settings.ts'
export type { Audit } from './server/audit/open-audit.ts'
export { BudgetBook } from './server/budgets/budget-book.ts'
export type { UsageLedger } from './server/budgets/past-usage.ts'
export { type AgentsCaches, agentsCaches } from './server/caches/agents-caches.ts'
export { budgetCaches } from './server/caches/budget-caches.ts'
export { type CoreCaches, coreCaches } from './server/caches/core-caches.ts'
export { orchestrationCaches } from './server/caches/orchestration-caches.ts'
export { type SupportingCaches, supportingCaches } from './server/caches/supporting-caches.ts'
export { checkPermissions } from './server/cluster-checks/check-cluster.ts'
export { clusterChecks } from './server/cluster-checks/cluster-checks.ts'
export type { Finding } from './server/cluster-checks/finding.ts'
export { grpcAddress, readinessUrl } from './server/doctor/doctor-arguments.ts'
export {
  examineRelease,
  type ReleasePorts,
  type ReleaseQuestions,
} from './server/doctor/examine-release.ts'
export { type Grant, type PolicyRule, parseGrants } from './server/doctor/grant.ts'
export { untilGood } from './server/doctor/until-good.ts'
export { apiDescription } from './server/http/api-description.ts'
export type { Deliveries } from './server/inbox/deliveries.ts'
export { type LocalInbox, openLocalInbox } from './server/inbox/local-inbox.ts'
export { webhookSettings } from './server/inbox/webhook-settings.ts'
export { annotations, labels } from './server/kubernetes/labels.ts'
export { orchestrationController } from './server/orchestration-controller/definition/orchestration-controller.ts'
export { orchestrationRunController } from './server/orchestration-controller/run/orchestration-run-controller.ts'
export { toolRunController } from './server/orchestration-controller/tool-run/tool-run-controller.ts'
export { controllersConfig } from './server/process/controllers-config.ts'
export { type LocalApi, startLocalApi } from './server/process/local-api.ts'
export { runControlPlane } from './server/process/run-control-plane.ts'
export { runControllers } from './server/process/run-controllers.ts'
export {
  type RunningControllers,
  type StartControllersOptions,
  startControllers,
} from './server/process/start-controllers.ts'
export { approvalDecisionController } from './server/supporting-primitives-controller/approval-decision/approval-decision-controller.ts'
export { approvalPolicyController } from './server/supporting-primitives-controller/approval-policy/approval-policy-controller.ts'
export { approvalRequestController } from './server/supporting-primitives-controller/approval-request/approval-request-controller.ts'
export { artifactController } from './server/supporting-primitives-controller/artifact/artifact-controller.ts'
export { budgetController } from './server/supporting-primitives-controller/budget/budget-controller.ts'
export { parseCalendar } from './server/supporting-primitives-controller/schedule/calendar.ts'
export { scheduleController } from './server/supporting-primitives-controller/schedule/schedule-controller.ts'
export {
  copiedSpec,
  manualRun,
  type RunTemplate,
  targetProblem,
} from './server/supporting-primitives-controller/schedule/scheduled-run.ts'
export { secretBindingController } from './server/supporting-primitives-controller/secret-binding/secret-binding-controller.ts'
export { signalController } from './server/supporting-primitives-controller/signal/signal-controller.ts'
export { signalDeliveryController } from './server/supporting-primitives-controller/signal-delivery/signal-delivery-controller.ts'
export { toolController } from './server/supporting-primitives-controller/tool/tool-controller.ts'
export { workspaceController } from './server/supporting-primitives-controller/workspace/workspace-controller.ts'
export { openLocalLedger } from './server/usage/local-ledger.ts'
export type { OpenLedger } from './server/usage/open-ledger.ts'
