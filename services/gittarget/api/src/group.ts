/** What all kinds of this service have in common. */
export const gitops = {
  group: 'gitops.proompteng.ai',
  version: 'v1alpha1',
  categories: ['agents-all', 'gitops'],
} as const
