/** Whose rights decide who sees deliveries. */
export const sourceGroup = 'agents.proompteng.ai'
export const sourceResource = 'implementationsources'
export const sourceKind = `${sourceResource}.${sourceGroup}`

/** Deliveries are no objects of the cluster, so that no stream reports their changes. */
export const refetchMs = 2_000
