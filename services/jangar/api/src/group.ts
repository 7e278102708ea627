/** Settings that all kinds share. */
export const platform = {
  version: 'v1alpha1',
  scope: 'Namespaced',
  // Not `agents`: kubectl takes a category before a resource, so `kubectl get agents` would list every kind.
  categories: ['agents-all'],
} as const

/** The API groups, by what their kinds are about. */
export const group = {
  agents: 'agents.proompteng.ai',
  orchestration: 'orchestration.proompteng.ai',
  tools: 'tools.proompteng.ai',
  approvals: 'approvals.proompteng.ai',
  budgets: 'budgets.proompteng.ai',
  security: 'security.proompteng.ai',
  signals: 'signals.proompteng.ai',
  schedules: 'schedules.proompteng.ai',
  artifacts: 'artifacts.proompteng.ai',
  workspaces: 'workspaces.proompteng.ai',
} as const
