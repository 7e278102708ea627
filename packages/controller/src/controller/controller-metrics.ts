import { noQueueMetrics, type QueueMetrics } from '../work-queue/queue-metrics.ts'

export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after'

/** The measurements of a controller. */
export interface ControllerMetrics {
  readonly queue: QueueMetrics
  reconciled(outcome: ReconcileOutcome, seconds: number): void
  terminalError(): void
  /** A bug in the program, not a failure of its environment. */
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
