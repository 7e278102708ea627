/** The properties that all kinds of this service share. */
export const gitops = {
  group: 'gitops.proompteng.ai',
  version: 'v1alpha1',
  categories: ['agents-all', 'gitops'],
} as const
