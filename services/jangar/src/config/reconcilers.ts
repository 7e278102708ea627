import { duration, flag } from '@agents/config'
import { agentsController, webhooks } from './agents-controller.ts'
import { artifacts, artifactUploads } from './artifacts.ts'
import { leaderElection } from './leader-election.ts'
import { namespaces } from './namespaces.ts'
import { budgets } from './prices.ts'
import { runner, scheduleRunner } from './runner.ts'

/** Settings of the reconcilers, which run in the controllers process or in the control plane. */
export const reconcilers = {
  agents: agentsController,
  orchestration: {
    enabled: flag('JANGAR_ORCHESTRATION_CONTROLLER_ENABLED', {
      doc: 'Whether this process reconciles orchestrations, their runs, and runs of tools.',
      chart: 'orchestrationController.enabled',
      fallback: true,
    }),
    namespaces: namespaces('JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES', {
      doc: 'Namespaces of the orchestration controller.',
      chart: 'orchestrationController.namespaces',
    }),
  },
  supporting: {
    enabled: flag('JANGAR_SUPPORTING_CONTROLLER_ENABLED', {
      doc: 'Whether this process reconciles the kinds that start, limit or supply runs: approvals, budgets, schedules, secret bindings, signals, tools, workspaces and artifacts in this release.',
      chart: 'supportingController.enabled',
      fallback: true,
    }),
    namespaces: namespaces('JANGAR_SUPPORTING_CONTROLLER_NAMESPACES', {
      doc: 'Namespaces of the supporting controller.',
      chart: 'supportingController.namespaces',
    }),
    signalDeliveryRetentionMs: duration(
      'JANGAR_SUPPORTING_CONTROLLER_SIGNAL_DELIVERY_RETENTION_SECONDS',
      {
        doc: 'How long a finished delivery of a signal is kept, and its identifier recognized. 0: permanently.',
        chart: 'supportingController.signalDeliveryRetentionSeconds',
        bareUnit: 's',
        fallback: 7 * 86_400_000,
      },
    ),
  },
  approvals: {
    allowUnverified: flag('JANGAR_APPROVALS_ALLOW_UNVERIFIED', {
      doc: 'Whether approvals count although the API server does not verify who decides, because the admission policies of the chart are not in effect. Then everybody who may create ApprovalDecisions can approve as anybody else.',
      chart: 'controller.approvals.allowUnverified',
      fallback: false,
    }),
  },
  archive: {
    enabled: flag('JANGAR_PRIMITIVES_RECONCILER', {
      doc: 'Whether finished runs are archived in the database, which keeps them after they are deleted from the cluster.',
      fallback: true,
    }),
    namespaces: namespaces('JANGAR_PRIMITIVES_NAMESPACES', {
      doc: 'Namespaces of the archive. Not used yet, except that "*" needs rbac.clusterScoped.',
      chart: 'controller.namespaces',
    }),
  },
  artifacts,
  artifactUploads,
  budgets,
  webhooks,
  runner,
  scheduleRunner,
  leaderElection,
}
