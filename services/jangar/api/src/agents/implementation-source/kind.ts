import {
  boolean,
  defineKind,
  list,
  map,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
  withDefault,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { int32 } from '../../integer.ts'
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { secretRef } from '../../reference.ts'

const scope = object('Which issues are taken over; what is left out does not narrow.', {
  organization: optional(string('Only issues of this organization.')),
  repository: optional(string('Only issues of this repository, as owner/name.')),
  project: optional(string('Only issues of this project.')),
  team: optional(string('Only issues of this team, by its key.')),
  labels: optional(list('Only issues that carry all these labels.', string('One label.'))),
  query: optional(string('Only issues that this query of the source system finds.')),
})

const lastWebhook = object('The last delivery that was received.', {
  idempotencyKey: optional(string('What makes a second delivery of the same event recognisable.')),
  deliveryId: optional(string('The sender’s identifier of the delivery.')),
  provider: optional(string('Which system sent it.')),
  externalId: optional(string('Which issue it was about.')),
  sourceVersion: optional(string('Which version of the issue it carried.')),
  receivedAt: optional(timestamp('When it arrived.')),
  processedAt: optional(timestamp('When it was dealt with.')),
  attempts: optional(int32('How often dealing with it was tried.')),
  status: optional(string('What came of it: synced, retrying or failed.')),
  error: optional(string('Why dealing with it failed.')),
})

export const implementationSource = defineKind({
  ...platform,
  group: group.agents,
  kind: 'ImplementationSource',
  plural: 'implementationsources',
  shortNames: ['implsrc'],
  description:
    'A system whose issues become ImplementationSpecs, by the webhooks that it sends when they change.',
  spec: object('Which system, how to trust it, and which of its issues to take over.', {
    provider: oneOfStrings('Which system.', ['github', 'linear']),
    auth: object('How deliveries are recognised as genuine.', {
      secretRef: secretRef(
        'The Secret that the sender signs its deliveries with.',
        'Key in the Secret; left out, token.',
      ),
    }),
    webhook: optional(
      object('Whether deliveries are received.', {
        enabled: withDefault(boolean('Receive deliveries.'), false),
      }),
    ),
    scope: optional(scope),
    mapping: optional(
      map(
        'Which field of an issue goes where: keys are fields of an ImplementationSpec.',
        string('The field of the issue to take it from.'),
      ),
    ),
  }),
  status: statusObject({
    lastSyncedAt: optional(timestamp('When an issue was last taken over.')),
    lastWebhook: optional(lastWebhook),
  }),
  columns: [
    ready,
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'LastSync', type: 'date', jsonPath: '.status.lastSyncedAt' },
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type ImplementationSource = ObjectOf<typeof implementationSource>
