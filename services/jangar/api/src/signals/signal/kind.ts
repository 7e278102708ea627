import {
  defineKind,
  freeObject,
  freeValue,
  list,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  timestamp,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { phaseField } from '../../status-field.ts'
import { signalPhase } from './phase.ts'

const pastDelivery = object('A delivery that was accepted. It may have been deleted since.', {
  name: string('Name of the SignalDelivery.'),
  deliveryId: optional(string('Identifier of the event.')),
  deliveredAt: timestamp('When it was accepted.'),
})

export const signal = defineKind({
  ...platform,
  group: group.signals,
  kind: 'Signal',
  plural: 'signals',
  shortNames: ['sig'],
  description: 'An event that orchestrations can wait for. A SignalDelivery delivers it.',
  spec: object(
    'Specification of the signal.',
    {
      channel: optional(string('Name of the event for people. It has no effect.')),
      description: optional(string('Description of the signal.')),
      payload: optional(freeValue('Payload of deliveries that have none.')),
      schema: optional(
        freeObject(
          'Schema of the payload, as in a CustomResourceDefinition (openAPIV3Schema), CEL rules included. A delivery whose payload does not fit is rejected. If omitted, any payload is accepted.',
        ),
      ),
    },
    { 'x-kubernetes-preserve-unknown-fields': true },
  ),
  specOptional: true,
  status: statusObject({
    phase: phaseField(signalPhase),
    lastDeliveryAt: optional(timestamp('When a delivery was last accepted.')),
    history: optional(list('The latest accepted deliveries, newest first.', pastDelivery)),
  }),
  columns: [
    phase,
    { name: 'Channel', type: 'string', jsonPath: '.spec.channel', priority: 1 },
    { name: 'LastDelivery', type: 'date', jsonPath: '.status.lastDeliveryAt' },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Signal = ObjectOf<typeof signal>
