import { expect } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Client, Fields } from './client.ts'
import type { Suite } from './suite.ts'
import { until200 } from './until-200.ts'

const text: Fields = { type: 'string' }
const wholeNumber: Fields = { type: 'integer' }

/** A schema with every construct of structural schemas. */
const widgetSchema: Fields = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 100 },
        count: { type: 'integer', format: 'int64' },
        ratio: { type: 'number' },
        enabled: { type: 'boolean' },
        color: { type: 'string', enum: ['red', 'green', 'blue'] },
        code: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
        mode: { type: 'string', default: 'auto' },
        nothing: { type: 'string', nullable: true },
        port: { 'x-kubernetes-int-or-string': true },
        replicas: { type: 'integer', format: 'int32', default: 1 },
        when: { type: 'string', format: 'date-time' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: text },
        settings: { type: 'object', properties: { a: text, b: wholeNumber }, required: ['a'] },
        fixed: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: { a: text, b: text },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        words: { type: 'array', items: text, maxItems: 3 },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: {
              port: wholeNumber,
              protocol: { type: 'string', default: 'TCP' },
              name: text,
              hosts: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
            },
          },
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: text,
        replicas: wholeNumber,
        selector: text,
        observedGeneration: { type: 'integer', format: 'int64' },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: {
            type: 'object',
            required: ['type', 'status'],
            properties: { type: text, status: text, reason: text, message: text },
          },
        },
      },
    },
  },
}

interface DefinitionOptions {
  readonly plural?: string
  readonly kind?: string
  readonly scope?: 'Namespaced' | 'Cluster'
  readonly schema?: Fields
  /** Additional fields of the only version. */
  readonly version?: Fields
  readonly spec?: Fields
}

/** A CustomResourceDefinition with one version, v1. */
export function definitionOf(group: string, options: DefinitionOptions = {}): Fields {
  const { plural = 'widgets', kind = 'Widget', scope = 'Namespaced' } = options
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: options.schema ?? widgetSchema },
          ...options.version,
        },
      ],
      ...options.spec,
    },
  }
}

/** A definition with status, scale and printer columns. */
export function fullWidgetDefinition(group: string): Fields {
  return definitionOf(group, {
    version: {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
      additionalPrinterColumns: [
        { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How big' },
        { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
      selectableFields: [{ jsonPath: '.spec.color' }],
    },
  })
}

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Creates the definition and waits until objects of it can be listed. */
export async function serve(client: Client, definition: Fields): Promise<void> {
  const created = await client.send('POST', definitionsPath, definition)
  expect(created.code, created.text).toBe(201)
  const { group, names, versions } = definition.spec as unknown as {
    group: string
    names: { plural: string }
    versions: readonly { name: string; served: boolean }[]
  }
  for (const { name, served } of versions) {
    if (served) await until200(client, `/apis/${group}/${name}/${names.plural}`)
  }
  await untilApplied(client, group, versions[0]?.name ?? '')
}

/** A kind is served before its OpenAPI document is published. */
async function untilApplied(client: Client, group: string, version: string): Promise<void> {
  await until(async () => {
    const { body } = await client.get('/openapi/v3')
    const { paths } = body as { paths: Record<string, unknown> }
    return `apis/${group}/${version}` in paths
  })
}

interface WidgetApi {
  /** Path of the widgets in the suite's namespace. */
  readonly path: string
  /** Path of the widgets in all namespaces. */
  readonly everywhere: string
  widget(name: string, rest?: Fields, metadata?: Fields): Fields
}

export function widgetsOf({ group, namespace }: Suite): WidgetApi {
  return {
    path: `/apis/${group}/v1/namespaces/${namespace}/widgets`,
    everywhere: `/apis/${group}/v1/widgets`,
    widget: (name, rest = {}, metadata = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name, ...metadata },
      ...rest,
    }),
  }
}
