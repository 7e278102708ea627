import { noQueueMetrics, type QueueMetrics } from '../work-queue/queue-metrics.ts'

export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after'

/** What a controller tells about itself as it goes. */
export interface ControllerMetrics {
  readonly queue: QueueMetrics
  reconciled(outcome: ReconcileOutcome, seconds: number): void
  terminalError(): void
  /** A mistake in the program, and not something that the world did. */
  panicked(): void
  timedOut(): void
  workersActive(change: 1 | -1): void
}

export const noControllerMetrics: ControllerMetrics = {
  queue: noQueueMetrics,
  reconciled: () => undefined,
  terminalError: () => undefined,
  panicked: () => undefined,
  timedOut: () => undefined,
  workersActive: () => undefined,
}
