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
  spec: object('Specification of the delivery.', {
    signalRef: localRef('The Signal that is delivered.'),
    deliveryId: optional(
      string('Identifies the event, so that a second delivery of it is recognized.'),
    ),
    payload: optional(freeValue('Payload of the delivery.')),
  }),
  specOptional: true,
  status: withRules(
    statusObject({
      phase: phaseField(signalDeliveryPhase),
      ...runTimes,
      deliveredAt: optional(timestamp('When it was delivered. Never changes once set.')),
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
