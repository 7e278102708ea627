/** The path of the control plane's API where pods report what their run has used so far. */
export const usagePath = '/v1/usage'

/** How often a pod may report. What it reports is the total of its attempt, so that a lost report does no harm. */
export const usageIntervalSeconds = 10

/** What no attempt uses, so that sums stay exact. */
export const largestCount = 2 ** 40
