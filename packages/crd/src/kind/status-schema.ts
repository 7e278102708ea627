import {
  type Fields,
  integer,
  list,
  type ObjectValue,
  object,
  oneOfStrings,
  optional,
  string,
  type Typed,
  timestamp,
} from './build-schema.ts'

const condition = object('One observed fact about this object.', {
  type: string('What is observed, such as Ready.', {
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  }),
  status: oneOfStrings('True, False, or Unknown while it has not been found out.', [
    'True',
    'False',
    'Unknown',
  ]),
  reason: string('Why, in one CamelCase word that machines may match on.', {
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: string('Why, for people, and what to do about it.', { maxLength: 32_768 }),
  lastTransitionTime: timestamp('When status last changed; reason and message may be newer.'),
  observedGeneration: optional(
    integer('The metadata.generation that this was observed for.', { format: 'int64', minimum: 0 }),
  ),
})

/** What the status of every kind starts with. */
const contractFields = {
  observedGeneration: optional(
    integer('The metadata.generation whose spec produced this status; -1 until first seen.', {
      format: 'int64',
    }),
  ),
  updatedAt: optional(timestamp('When this status was last written.')),
  conditions: optional(
    list('What is known about this object, one entry per type.', condition, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  ),
}

/** The status of a kind: the fields of the status contract, then its own. */
export function statusObject<const F extends Fields>(
  fields: F,
): Typed<ObjectValue<typeof contractFields & F>> {
  return object('What the controllers observed. Written by them alone.', {
    ...contractFields,
    ...fields,
  }) as Typed<ObjectValue<typeof contractFields & F>>
}
