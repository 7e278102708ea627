import {
  defineKind,
  freeValue,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  timestamp,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { phase, succeeded, succeededMessage, succeededReason } from '../../printer-column.ts'
import { localRef } from '../../reference.ts'
import { phaseField, runTimes } from '../../status-field.ts'
import { signalDeliveryPhase } from './phase.ts'

export const signalDelivery = defineKind({
  ...platform,
  group: group.signals,
  kind: 'SignalDelivery',
  plural: 'signaldeliveries',
  shortNames: ['sigd'],
  description: 'A Signal has happened, once.',
  spec: object('What has happened.', {
    signalRef: localRef('The Signal that has happened.'),
    deliveryId: optional(string('Makes a second delivery of the same event recognisable.')),
    payload: optional(freeValue('What the sender has to say.')),
  }),
  specOptional: true,
  status: statusObject({
    phase: phaseField(signalDeliveryPhase),
    ...runTimes,
    deliveredAt: optional(timestamp('When it was delivered. Never changes once set.')),
  }),
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
