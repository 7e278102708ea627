const domain = 'agents.proompteng.ai'

/** On everything that a run owns. Values are at most 63 characters long: see `labelValue`. */
export const labels = {
  agentRun: `${domain}/agent-run`,
  agent: `${domain}/agent`,
  provider: `${domain}/provider`,
  implementation: `${domain}/implementation`,
  step: `${domain}/step`,
  /** Counted from 1. */
  stepIndex: `${domain}/step-index`,
  /** Counted from 1. */
  attempt: `${domain}/attempt`,
} as const

export const annotations = {
  /** The full name of the run, where the label could hold only a part of it. */
  agentRun: `${domain}/agent-run`,
} as const

/** Holds a run back until its work is stopped. */
export const runtimeCleanup = `${domain}/runtime-cleanup`
