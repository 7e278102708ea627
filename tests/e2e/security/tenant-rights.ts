const groups = ['agents.proompteng.ai', 'gitops.proompteng.ai', 'tools.proompteng.ai']

/** Write access to every kind of the platform. */
export const writeOurs = { apiGroups: groups, resources: ['*'], verbs: ['*'] }

/** Access to Secrets, to all of them unless names are given. */
export function secrets(verbs: readonly string[], resourceNames?: readonly string[]) {
  return { apiGroups: [''], resources: ['secrets'], verbs, ...(resourceNames && { resourceNames }) }
}

/** The access that a mirror needs. */
export function watch(apiGroups: readonly string[], resources: readonly string[]) {
  return { apiGroups, resources, verbs: ['list', 'watch'] }
}
