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
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { phaseField } from '../../status-field.ts'
import { signalPhase } from './phase.ts'

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
      channel: optional(string('Name of the signal for senders.')),
      description: optional(string('Description of the signal.')),
      payload: optional(freeValue('Default payload of deliveries.')),
    },
    { 'x-kubernetes-preserve-unknown-fields': true },
  ),
  specOptional: true,
  status: statusObject({
    phase: phaseField(signalPhase),
    lastDeliveryAt: optional(timestamp('When it was last delivered.')),
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
