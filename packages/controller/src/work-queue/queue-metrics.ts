/** The measurements of a queue. Durations are in seconds. */
export interface QueueMetrics {
  /** A key became ready to be taken. */
  added(priority: number): void
  /** A key was added with a delay: a retry or a recheck. */
  retried(): void
  /** The priority of a ready key changed. */
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
