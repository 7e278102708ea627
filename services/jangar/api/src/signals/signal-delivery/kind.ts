import {
  defineKind,
  freeValue,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  timestamp,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { phase, succeeded, succeededMessage, succeededReason } from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { runRules } from '../../run-rules.ts'
import { phaseField, runTimes } from '../../status-field.ts'
import { signalDeliveryConditions } from './conditions.ts'
import { signalDeliveryPhase } from './phase.ts'

export const signalDelivery = defineKind({
  ...platform,
  group: group.signals,
  kind: 'SignalDelivery',
  plural: 'signaldeliveries',
  shortNames: ['sigd'],
  description: 'One delivery of a Signal.',
  spec: withRules(
    object('Specification of the delivery. It cannot be changed.', {
      signalRef: localRef('The Signal that is delivered. The delivery waits until it exists.'),
      deliveryId: optional(
        string(
          'Identifies the event among the deliveries of the Signal: the oldest delivery with it counts, others are duplicates. At most 256 characters.',
        ),
      ),
      payload: optional(
        freeValue(
          'Payload of the delivery, at most 16 KiB of JSON. If omitted, defaults to the payload of the Signal.',
        ),
      ),
    }),
    {
      rule: 'self == oldSelf',
      message: 'a delivery cannot be changed; create another one instead',
      reason: 'FieldValueForbidden',
    },
  ),
  specOptional: true,
  status: withRules(
    statusObject({
      phase: phaseField(signalDeliveryPhase),
      ...runTimes,
      deliveredAt: optional(timestamp('When it was accepted. Never changes once set.')),
      payload: optional(
        freeValue('The payload of the Signal at that time, if the delivery has none of its own.'),
      ),
    }),
    ...runRules(signalDeliveryConditions, ['deliveredAt']),
  ),
  columns: [
    phase,
    { name: 'Signal', type: 'string', jsonPath: '.spec.signalRef.name' },
    succeeded,
    succeededReason,
    { name: 'Delivered', type: 'date', jsonPath: '.status.deliveredAt' },
    succeededMessage,
  ],
  summary: 'Succeeded',
})

export type SignalDelivery = ObjectOf<typeof signalDelivery>
