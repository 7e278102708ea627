import {
  boolean,
  defineKind,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
  withDefault,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { secretRef } from '../../reference.ts'
import { embeddings } from './embeddings.ts'

export const memory = defineKind({
  ...platform,
  group: group.agents,
  kind: 'Memory',
  plural: 'memories',
  shortNames: ['mem'],
  description: 'A store in which agents keep knowledge across runs.',
  spec: withRules(
    object('The store and its connection.', {
      type: oneOfStrings('Type of the store.', [
        'postgres',
        'redis',
        'weaviate',
        'pinecone',
        'custom',
      ]),
      connection: object('Connection to the store.', {
        secretRef: secretRef(
          'The Secret with the connection string.',
          'Key in the Secret. If omitted, all keys of the Secret are used.',
        ),
      }),
      embeddings: optional(embeddings),
      capabilities: optional(
        list(
          'What the store is for, as a note to people. The platform does not read it.',
          string('A capability, such as vector, kv or blob.'),
        ),
      ),
      default: withDefault(
        boolean('If true, runs use this store if neither they nor their agent specify one.'),
        false,
      ),
    }),
    {
      rule: "!has(self.embeddings) || self.type == 'postgres'",
      message: 'embeddings are for stores of type postgres',
      fieldPath: '.embeddings',
    },
  ),
  status: statusObject({
    lastCheckedAt: optional(
      timestamp('When the connection was last checked, as of the last change of this status.'),
    ),
  }),
  columns: [
    ready,
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Default', type: 'boolean', jsonPath: '.spec.default' },
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Memory = ObjectOf<typeof memory>
