import { object, optional, timestamp } from '@agents/crd'
import { nonNegativeInt32 } from './integer.ts'

/** `status.queue` of a run. */
export const queue = object('Position in the queue while the run waits for a slot.', {
  position: optional(nonNegativeInt32('Number of runs ahead in the queue, plus one.')),
  eligibleAt: optional(timestamp('Earliest start of a run that waits for a rate limit.')),
})
