export interface JobRef {
  readonly name: string
  readonly namespace: string
  readonly uid: string
}

/** Where a piece of work stands that one Job after the other tries to do: the whole of a run, or one step. */
export interface TaskState {
  readonly phase: 'Pending' | 'Running' | 'Retrying' | 'Succeeded' | 'Failed'
  /** Counts from 1; 0 before the first. */
  readonly attempt: number
  /** That of the attempt. */
  readonly jobRef?: JobRef
  /** When the Job of the attempt was handed over. */
  readonly submittedAt?: string
  /** When its container was first seen to have begun. */
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly nextRetryAt?: string
  readonly message?: string
}

export const pendingTask: TaskState = { phase: 'Pending', attempt: 0 }

export interface TaskLimits {
  readonly retries: number
  readonly retryBackoffSeconds: number
  /** For one attempt, from when its container began. 0: none. */
  readonly timeoutSeconds: number
}

/** The end of a time that began at a recorded second: never early, for the part of that second that was cut off. */
export function endOf(recorded: string, seconds: number): number {
  return Date.parse(recorded) + 999 + seconds * 1000
}
