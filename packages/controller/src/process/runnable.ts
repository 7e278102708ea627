/** A part of a process that lives as long as the process does. */
export interface Runnable {
  readonly name: string
  /** Resolves when later parts may rely on this one. */
  start?(signal: AbortSignal): Promise<void>
  /** Runs until the signal is aborted, then resolves. An error ends the process. */
  run(signal: AbortSignal): Promise<void>
}
