import { freeObject, freeValue, list, object, optional, string, timestamp } from '@agents/crd'
import { int32, nonNegativeInt32 } from '../../integer.ts'
import { observedObject } from '../../reference.ts'
import { attemptTimes } from '../../status-field.ts'

/** What is recorded of a step and, for a loop, of each of its items. */
const progress = {
  phase: optional(string('Pending, Running, Retrying, Succeeded, Failed, Cancelled or Skipped.')),
  reason: optional(string('Reason for the phase, in CamelCase.')),
  message: optional(string('Details about the phase.')),
  ...attemptTimes,
  attempt: optional(int32('Number of the attempt, counted from 1.')),
  nextRetryAt: optional(timestamp('When the next attempt starts.')),
  resourceRef: optional(observedObject('The object that the step created or waits for.')),
}

const attempt = object('An attempt that ended and was followed by another one.', {
  attempt: int32('Number of the attempt, counted from 1.'),
  reason: optional(string('Reason for its failure, in CamelCase.')),
  message: optional(string('Details about its failure.')),
  ...attemptTimes,
  resourceRef: optional(observedObject('The object of the attempt.')),
})

const item = object(
  'Status of an item of a loop.',
  {
    index: nonNegativeInt32('Position of the item in the list, counted from 0.'),
    ...progress,
    value: optional(freeValue('The item.')),
    outputs: optional(freeObject('Outputs of the item.')),
  },
  { 'x-kubernetes-preserve-unknown-fields': true },
)

export const stepStatus = object(
  'Status of a step.',
  {
    name: string('Name of the step.'),
    kind: string('Kind of the step.'),
    ...progress,
    lastTransitionTime: optional(timestamp('When the phase last changed.')),
    inputDigest: optional(
      string(
        'SHA-256 of what the step was started with, in hexadecimal. A resumed run takes the step over if it is the same.',
      ),
    ),
    attempts: optional(list('Earlier attempts, the latest ones only.', attempt)),
    items: optional(list('Status of each item, if the step is a loop.', item)),
    outputs: optional(
      freeObject('Values for later steps; of a loop, lists in the order of items.'),
    ),
  },
  { 'x-kubernetes-preserve-unknown-fields': true },
)
