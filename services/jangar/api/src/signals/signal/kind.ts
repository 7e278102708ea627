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
import { nonNegativeInt32 } from '../../integer.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { phaseField } from '../../status-field.ts'
import { signalPhase } from './phase.ts'

const pastDelivery = object('A delivery that was accepted. It may have been deleted since.', {
  name: string('Name of the SignalDelivery.'),
  deliveryId: optional(string('Identifier of the event.')),
  deliveredAt: timestamp('When it was accepted.'),
})

const waitingStep = object('A step that waits for the signal.', {
  run: string('Name of the OrchestrationRun.'),
  step: string('Name of the step.'),
  since: timestamp('When it began to wait.'),
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
    waiting: optional(
      list(
        'Steps that wait for the signal, those that wait longest first; at most 10.',
        waitingStep,
      ),
    ),
    waitingCount: optional(nonNegativeInt32('Number of steps that wait for the signal.')),
  }),
  columns: [
    phase,
    { name: 'Channel', type: 'string', jsonPath: '.spec.channel', priority: 1 },
    { name: 'LastDelivery', type: 'date', jsonPath: '.status.lastDeliveryAt' },
    { name: 'Waiting', type: 'integer', jsonPath: '.status.waitingCount' },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Signal = ObjectOf<typeof signal>
