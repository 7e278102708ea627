import type { ClockFields } from '@agents/status'

/** Times that change without a change of state. */
export const gitTargetClock: ClockFields = {
  stamped: ['updatedAt', 'lastReconcileTime'],
  passive: ['encryption.lastValidatedTime', 'snapshot.lastCompletedTime', 'stream.lastEventTime'],
}
