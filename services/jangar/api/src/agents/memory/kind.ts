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
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { secretRef } from '../../reference.ts'

export const memory = defineKind({
  ...platform,
  group: group.agents,
  kind: 'Memory',
  plural: 'memories',
  shortNames: ['mem'],
  description: 'A store in which agents keep what they learned from one run to the next.',
  spec: object('Which store, and how to reach it.', {
    type: oneOfStrings('Which kind of store.', [
      'postgres',
      'redis',
      'weaviate',
      'pinecone',
      'custom',
    ]),
    connection: object('How to reach the store.', {
      secretRef: secretRef(
        'The Secret that holds the connection string.',
        'Key in the Secret; left out, the Secret as a whole.',
      ),
    }),
    capabilities: optional(
      list('What the store can do.', string('One ability, such as vector, kv or blob.')),
    ),
    default: withDefault(
      boolean('Use this store for runs that name none, nor does their agent.'),
      false,
    ),
  }),
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
