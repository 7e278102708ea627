/** The one vocabulary for the state of work: of a Job, an attempt, a step or a whole run. */
export type WorkPhase =
  | 'Pending'
  | 'Running'
  | 'Retrying'
  | 'Cancelling'
  | 'Succeeded'
  | 'Failed'
  | 'Cancelled'

/** The phases of work that is tried by one Job after another. Cancelling is up to the run as a whole. */
export type TaskPhase = Exclude<WorkPhase, 'Cancelling' | 'Cancelled'>

/** Started or about to be retried, so that it ends when the run is stopped. */
export function isActive(phase: string | undefined): boolean {
  return phase === 'Running' || phase === 'Retrying'
}

export function hasFinished(phase: WorkPhase): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Cancelled'
}
