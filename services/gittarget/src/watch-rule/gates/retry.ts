/** Changes requeue a rule; this interval covers missed ones. */
export const retryMs = 300_000
