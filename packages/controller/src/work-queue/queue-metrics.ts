/** What a queue tells about itself as it goes. Durations are seconds. */
export interface QueueMetrics {
  /** A key became ready to be taken. */
  added(priority: number): void
  /** A key was asked for later: a retry, or a look at what is due then. */
  retried(): void
  /** A ready key got another priority. */
  reprioritized(from: number, to: number): void
  taken(priority: number, waited: number): void
  finished(worked: number): void
}

export const noQueueMetrics: QueueMetrics = {
  added: () => undefined,
  retried: () => undefined,
  reprioritized: () => undefined,
  taken: () => undefined,
  finished: () => undefined,
}
