/** Work of the server's own that nobody asked for. */
export interface BackgroundTask {
  stop(): Promise<void>
  /** Resolves when everything that was due has been done. */
  idle(): Promise<void>
}
