import {
  boolean,
  defineKind,
  integer,
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
import { localRef, secretRef } from '../../reference.ts'
import { triggers } from './triggers.ts'

const scope = object('Which issues are imported. An omitted field does not restrict.', {
  organization: optional(string('Only issues of this organization.')),
  repository: optional(string('Only issues of this repository, as owner/name.')),
  project: optional(string('Only issues of this project.')),
  team: optional(string('Only issues of this team, by its key.')),
  labels: optional(list('Only issues that have all of these labels.', string('A label.'))),
  query: optional(
    string(
      'Only issues of which all of this is true: words and "phrases" are in the title or the body (in:title, in:body), label:a,b (one of the labels), and -label:c or -word (not so). A source with another query is not ready, and imports nothing.',
      { maxLength: 1024 },
    ),
  ),
})

const lastWebhook = object('The last delivery that was received.', {
  idempotencyKey: optional(
    string('Identifies the event, so that a second delivery of it is recognized.'),
  ),
  deliveryId: optional(string('Identifier of the delivery, assigned by the sender.')),
  provider: optional(string('The provider that sent it.')),
  externalId: optional(string('Identifier of the issue.')),
  sourceVersion: optional(string('Version of the issue.')),
  receivedAt: optional(timestamp('When it was received.')),
  processedAt: optional(timestamp('When it was processed.')),
  attempts: optional(int32('Number of attempts to process it.')),
  status: optional(string('Outcome: synced, retrying or failed.')),
  error: optional(string('Why processing failed.')),
})

const lastSync = object('The last time that the issues were listed.', {
  at: optional(timestamp('When it ended.')),
  issues: optional(int32('Number of open issues in the scope.')),
  error: optional(string('Why it failed. Absent if it succeeded.')),
  request: optional(
    string('The value of the annotation agents.proompteng.ai/sync-requested that it answered.'),
  ),
})

export const implementationSource = defineKind({
  ...platform,
  group: group.agents,
  kind: 'ImplementationSource',
  plural: 'implementationsources',
  shortNames: ['implsrc'],
  description:
    'An issue tracker whose issues are imported as ImplementationSpecs, through webhooks or by listing them.',
  spec: object('The issue tracker, its webhooks, the issues to import, and what starts runs.', {
    provider: oneOfStrings(
      'The issue tracker. Generic is any system that sends signed deliveries.',
      ['github', 'gitlab', 'gitea', 'linear', 'generic'],
    ),
    auth: object('How deliveries are verified, and issues of Linear are listed.', {
      secretRef: secretRef(
        'The Secret with the key that signs deliveries, of at least 16 characters. Several, one per line, are valid while one replaces the other.',
        'Key in the Secret. If omitted, defaults to token.',
      ),
      apiKeySecretRef: optional(
        secretRef(
          'For linear, the Secret with the API key with which the issues are listed. If omitted, issues come through webhooks alone.',
          'Key in the Secret. If omitted, defaults to apiKey.',
        ),
      ),
    }),
    apiBaseUrl: optional(
      string(
        'For linear, the base URL of the API, which the API key is sent to. If omitted, defaults to https://api.linear.app.',
        { format: 'uri', maxLength: 2048 },
      ),
    ),
    vcsRef: optional(
      localRef(
        'The VersionControlProvider with whose API the issues of scope.repository are listed. ImplementationSpecs refer to it, too. If omitted, issues come through webhooks alone.',
      ),
    ),
    sync: optional(
      object('How the issues are listed.', {
        intervalSeconds: optional(
          integer('Seconds between two lists. If omitted, defaults to 600.', {
            format: 'int32',
            minimum: 30,
          }),
        ),
      }),
    ),
    webhook: optional(
      object('Webhook settings.', {
        enabled: withDefault(boolean('Whether webhooks are received.'), false),
      }),
    ),
    scope: optional(scope),
    mapping: optional(
      map(
        'Mapping of issue fields to fields of an ImplementationSpec, which are the keys: text, summary and description. If omitted, text is the body and summary the title.',
        string('Field of the issue: title, body, url or externalId.'),
      ),
    ),
    triggers: optional(triggers),
    onClosed: optional(
      oneOfStrings(
        'What becomes of the runs that triggers started for an issue when it is closed, deleted or no longer in the scope: Keep lets them go on, Cancel cancels them. If omitted, defaults to Keep.',
        ['Keep', 'Cancel'],
      ),
    ),
    report: optional(
      object(
        'What the platform writes about the runs of triggers, with the credential of vcsRef. If omitted, nothing.',
        {
          comment: withDefault(boolean('One comment on the issue, edited as runs proceed.'), false),
          commitStatus: withDefault(
            boolean('A commit status at the last commit of the pull request.'),
            false,
          ),
        },
      ),
    ),
  }),
  status: statusObject({
    lastSyncedAt: optional(timestamp('When an issue was last imported.')),
    lastWebhook: optional(lastWebhook),
    lastSync: optional(lastSync),
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
