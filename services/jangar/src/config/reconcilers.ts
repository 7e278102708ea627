import { flag } from '@agents/config'
import { agentsController } from './agents-controller.ts'
import { leaderElection } from './leader-election.ts'
import { namespaces } from './namespaces.ts'
import { runner, scheduleRunner } from './runner.ts'

/** The reconcilers' settings. They run in a process of their own, or inside the control plane. */
export const reconcilers = {
  agents: agentsController,
  orchestration: {
    enabled: flag('JANGAR_ORCHESTRATION_CONTROLLER_ENABLED', {
      doc: 'Whether this process reconciles orchestrations and their runs.',
      chart: 'orchestrationController.enabled',
      fallback: true,
    }),
    namespaces: namespaces('JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES', {
      doc: 'The namespaces whose orchestrations are reconciled.',
      chart: 'orchestrationController.namespaces',
    }),
  },
  supporting: {
    enabled: flag('JANGAR_SUPPORTING_CONTROLLER_ENABLED', {
      doc: 'Whether this process reconciles tools, approvals, budgets, secret bindings, signals, schedules, artifacts and workspaces.',
      chart: 'supportingController.enabled',
      fallback: true,
    }),
    namespaces: namespaces('JANGAR_SUPPORTING_CONTROLLER_NAMESPACES', {
      doc: 'The namespaces whose supporting resources are reconciled.',
      chart: 'supportingController.namespaces',
    }),
  },
  archive: {
    enabled: flag('JANGAR_PRIMITIVES_RECONCILER', {
      doc: 'Whether resources are copied into the database, which keeps them when the cluster forgets them.',
      fallback: true,
    }),
    namespaces: namespaces('JANGAR_PRIMITIVES_NAMESPACES', {
      doc: 'The namespaces whose resources are copied into the database.',
      chart: 'controller.namespaces',
    }),
  },
  runner,
  scheduleRunner,
  leaderElection,
}
