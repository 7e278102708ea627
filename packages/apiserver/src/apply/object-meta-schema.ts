import type { Schema } from '@agents/crd'

const text: Schema = { type: 'string' }
const time: Schema = { type: 'string', format: 'date-time' }
const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } }

/** The structure of ObjectMeta, which custom resources do not declare. */
export const objectMetaSchema: Schema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer' },
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: { type: 'integer' },
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: {
          apiVersion: { type: 'string', default: '' },
          kind: { type: 'string', default: '' },
          name: { type: 'string', default: '' },
          uid: { type: 'string', default: '' },
          controller: { type: 'boolean' },
          blockOwnerDeletion: { type: 'boolean' },
        },
      },
    },
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    managedFields: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'object' } },
  },
}
