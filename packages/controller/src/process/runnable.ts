/** A part of a process that lives as long as the process does. */
export interface Runnable {
  readonly name: string
  /** Resolves when those who come later may rely on it. */
  start?(signal: AbortSignal): Promise<void>
  /** Lives until the signal, then ends by itself. What it throws ends the process. */
  run(signal: AbortSignal): Promise<void>
}
