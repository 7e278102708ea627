import type { Json, Schema } from '@agents/crd'
import { customSubject, type Subject } from './subject.ts'

const text: Schema = { type: 'string' }
const part: Schema = { type: 'object', properties: { a: text, b: { type: 'integer' } } }
const texts: Schema = { type: 'object', additionalProperties: text }

/** One field for each kind of ownership that a schema can declare. */
const spec: Schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    title: text,
    size: { 'x-kubernetes-int-or-string': true },
    maybe: { type: 'string', nullable: true },
    config: texts,
    whole: { ...texts, 'x-kubernetes-map-type': 'atomic' },
    part,
    wholePart: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: text, b: { type: 'integer' } },
    },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    numbers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
    words: { type: 'array', items: text },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
          name: text,
          labels: texts,
          tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        },
      },
    },
    byName: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { x: { type: 'integer' }, y: text } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    anything: { 'x-kubernetes-preserve-unknown-fields': true },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
}

const status: Schema = {
  type: 'object',
  properties: {
    phase: text,
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        required: ['type'],
        properties: { type: text, status: text, reason: text },
      },
    },
  },
}

const schema: Schema = { type: 'object', properties: { spec, status } }

export const widgets: Subject = customSubject(
  'Widget',
  ['apply.example.dev', 'v1', 'widgets'],
  schema,
  (object) => {
    const { ports = [] } = (object.spec ?? {}) as { ports?: { protocol?: string }[] | null }
    for (const port of ports ?? []) port.protocol ??= 'TCP'
  },
)

export const widgetDefinition: Json = definition('Widget', 'widgets', ['v1'], schema)

/** A kind in two versions, whose lists and maps are atomic or not. */
export function gadget(version: 'v1' | 'v2', isAtomic: boolean): Subject {
  return customSubject(
    'Gadget',
    ['apply.example.dev', version, 'gadgets'],
    gadgetSchema(isAtomic),
    () => undefined,
  )
}

export function gadgetDefinition(isAtomic: boolean): Json {
  return definition('Gadget', 'gadgets', ['v1', 'v2'], gadgetSchema(isAtomic))
}

function gadgetSchema(isAtomic: boolean): Schema {
  const relation = isAtomic ? 'atomic' : 'granular'
  return {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          // Identifies which of the two schemas is being served.
          [relation]: text,
          map: { ...texts, 'x-kubernetes-map-type': relation },
          part: { ...part, 'x-kubernetes-map-type': relation },
          list: {
            type: 'array',
            'x-kubernetes-list-type': isAtomic ? 'atomic' : 'set',
            items: text,
          },
          replicas: { type: 'integer' },
        },
      },
    },
  }
}

function definition(
  kind: string,
  plural: string,
  versions: readonly string[],
  schema: Schema,
): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.apply.example.dev` },
    spec: {
      group: 'apply.example.dev',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: { openAPIV3Schema: schema as Json },
      })),
    },
  }
}
