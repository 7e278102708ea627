import { describe, expect, test } from 'vitest'
import { compactSchemas } from './compact-schema.ts'
import { expandDefinition } from './expand-schema.ts'
import type { OpenApiDocument, OpenApiSchema } from './open-api.ts'

function documentOf(schemas: Record<string, OpenApiSchema>): OpenApiDocument {
  return {
    components: { schemas },
  }
}

function withProperty(property: OpenApiSchema): OpenApiDocument {
  return documentOf({
    'io.k8s.api.core.v1.Thing': { type: 'object', properties: { field: property } },
  })
}

const reference = { $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }
const shortReference = { $ref: 'core.v1.Container' }

describe('a property', () => {
  test.each<{ because: string; from: OpenApiSchema; compact: unknown; back?: OpenApiSchema }>([
    { because: 'is its type', from: { type: 'string' }, compact: 'string' },
    {
      because: 'has type and format in one word',
      from: { type: 'integer', format: 'int32' },
      compact: 'int32',
    },
    {
      because: 'marks a zero default',
      from: { type: 'integer', format: 'int64', default: 0 },
      compact: 'int64=',
    },
    {
      because: 'keeps any other default',
      from: { type: 'string', default: 'TCP', enum: ['TCP', 'UDP'] },
      compact: ['string', { default: 'TCP', enum: ['TCP', 'UDP'] }],
    },
    { because: 'may be anything', from: {}, compact: 'any' },
    {
      because: 'refers by short id',
      from: { allOf: [reference] },
      compact: 'core.v1.Container',
      back: shortReference,
    },
    {
      because: 'refers and has an empty object as its default',
      from: { allOf: [reference], default: {} },
      compact: 'core.v1.Container=',
      back: { allOf: [shortReference], default: {} },
    },
    {
      because: 'may be a map by several keys with patch rules',
      from: {
        type: 'array',
        items: reference,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'port',
      },
      compact: ['[map:port,protocol]core.v1.Container', { patch: 'merge', mergeKey: 'port' }],
      back: {
        type: 'array',
        items: shortReference,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'port',
      },
    },
    {
      because: 'may be a map of lists',
      from: {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string', default: '' } },
      },
      compact: '{}[]string=',
    },
    {
      because: 'may be an atomic map',
      from: {
        type: 'object',
        additionalProperties: { type: 'string', format: 'byte' },
        'x-kubernetes-map-type': 'atomic',
      },
      compact: '{atomic}byte',
    },
  ])('$because', ({ from, compact, back }) => {
    const definition = compactSchemas([withProperty(from)]).definitions['core.v1.Thing']
    expect(definition?.props?.field).toEqual(compact)
    expect(expandDefinition(definition ?? {}).properties?.field).toEqual(back ?? from)
  })

  test.each<{ because: string; from: OpenApiSchema; message: string }>([
    {
      because: 'is refused when the table cannot hold a keyword',
      from: { type: 'string', oneOf: [] },
      message: 'oneOf',
    },
    {
      because: 'is refused when a list as a whole has a default',
      from: { type: 'array', items: { type: 'string' }, default: [] },
      message: 'default',
    },
    {
      because: 'is refused when its format is unknown',
      from: { type: 'string', format: 'uri' },
      message: 'uri',
    },
  ])('$because', ({ from, message }) => {
    expect(() => compactSchemas([withProperty(from)])).toThrow(message)
  })
})

describe('a definition', () => {
  const deleteOptions = (group: string): OpenApiDocument =>
    documentOf({
      'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions': {
        type: 'object',
        description: 'prose that is left out',
        properties: { kind: { type: 'string' } },
        'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind: 'DeleteOptions' }],
      },
    })

  test('that is in several documents collects the kinds of all', () => {
    const { definitions, packages } = compactSchemas([deleteOptions(''), deleteOptions('apps')])
    expect(definitions).toEqual({
      'meta.v1.DeleteOptions': {
        gvk: ['apps/v1/DeleteOptions', 'v1/DeleteOptions'],
        props: { kind: 'string' },
      },
    })
    expect(packages).toEqual({ 'meta.v1': 'io.k8s.apimachinery.pkg.apis.meta.v1' })
  })

  test('keeps everything that the real one contains', () => {
    const schema: OpenApiSchema = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', default: '' } },
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-unions': [{ discriminator: 'type' }],
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Thing' }],
    }
    const { definitions } = compactSchemas([documentOf({ 'io.k8s.api.core.v1.Thing': schema })])
    expect(expandDefinition(definitions['core.v1.Thing'] ?? {})).toEqual(schema)
  })

  test('without properties is kept as it is', () => {
    const schema: OpenApiSchema = { format: 'int-or-string', oneOf: [{ type: 'integer' }] }
    const name = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString'
    const { definitions } = compactSchemas([documentOf({ [name]: schema })])
    expect(definitions).toEqual({ 'intstr.IntOrString': { schema } })
  })

  test('is refused if two documents define it differently', () => {
    const other = documentOf({
      'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions': { type: 'object', properties: {} },
    })
    expect(() => compactSchemas([deleteOptions(''), other])).toThrow('differently')
  })
})
