import type { ClockFields } from '@agents/status'

/** Times that move without anything having happened that a reader would wait for. */
export const gitTargetClock: ClockFields = {
  stamped: ['updatedAt', 'lastReconcileTime'],
  carried: ['encryption.lastValidatedTime', 'snapshot.lastCompletedTime', 'stream.lastEventTime'],
}
