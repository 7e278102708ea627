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

const condition = object('One condition of this object.', {
  type: string('Type of the condition, such as Ready.', {
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  }),
  status: oneOfStrings('Status of the condition. Unknown if it could not be determined.', [
    'True',
    'False',
    'Unknown',
  ]),
  reason: string('Reason for the status, in CamelCase. Programs may match on it.', {
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: string('Explanation of the status for users, and what to do.', { maxLength: 32_768 }),
  lastTransitionTime: timestamp(
    'Time of the last change of status; reason and message may be newer.',
  ),
  observedGeneration: optional(
    integer('The metadata.generation that the condition was set for.', {
      format: 'int64',
      minimum: 0,
    }),
  ),
})

/** The first fields of the status of every kind. */
const contractFields = {
  observedGeneration: optional(
    integer('The metadata.generation that this status is about; -1 before the first reconcile.', {
      format: 'int64',
    }),
  ),
  updatedAt: optional(timestamp('Time of the last write of this status.')),
  conditions: optional(
    list('Conditions of this object, one entry per type.', condition, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  ),
}

/** The status of a kind: the fields of the status contract, then its own. */
export function statusObject<const F extends Fields>(
  fields: F,
): Typed<ObjectValue<typeof contractFields & F>> {
  return object('Observed state. Written by the controllers only.', {
    ...contractFields,
    ...fields,
  }) as Typed<ObjectValue<typeof contractFields & F>>
}
