/** A controller that runs inside the server. */
export interface BackgroundTask {
  stop(): Promise<void>
  /** Resolves when all queued work is done. */
  idle(): Promise<void>
}
