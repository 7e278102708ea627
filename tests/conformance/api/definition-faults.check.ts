import type { Json } from '@agents/crd'
import type { Fields } from './client.ts'
import { object, spec, text } from './schema-parts.ts'
import { conformance, type Row, withoutStatus } from './suite.ts'
import { definitionOf, definitionsPath } from './widget.ts'

conformance('definition-faults', ({ group, sameEach }) => {
  const bad = (
    what: string,
    change: Parameters<typeof definitionOf>[1] & { metadata?: Fields },
    code = 422,
  ): Row => {
    const { metadata, ...rest } = change
    const definition = definitionOf(group, { plural: 'bads', kind: 'Bad', ...rest })
    return [
      `a definition with ${what}`,
      code,
      'POST',
      `${definitionsPath}?dryRun=All`,
      metadata ? { ...definition, metadata } : definition,
    ]
  }
  const schema = (properties: Fields, rest: Fields = {}) => ({ schema: spec(properties, rest) })
  const names = (change: Fields) => ({
    spec: {
      names: { plural: 'bads', kind: 'Bad', singular: 'bad', listKind: 'BadList', ...change },
    },
  })
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: spec({}) },
  }
  sameEach(
    [
      bad('another name', { metadata: { name: 'wrong' } }),
      bad('no group', { spec: { group: '' } }),
      bad('a group without a dot', { spec: { group: 'plain' } }),
      bad('an invalid scope', { spec: { scope: 'Galaxy' } }),
      bad('no versions', { spec: { versions: [] } }),
      bad('no stored version', { version: { storage: false } }),
      bad('two stored versions', { spec: { versions: [version, { ...version, name: 'v2' }] } }),
      bad('a version twice', { spec: { versions: [version, { ...version, storage: false }] } }),
      bad('an invalid version name', { version: { name: 'V_1' } }),
      bad('no served version', { version: { served: false } }, 201),
      bad('no schema', { version: { schema: undefined as unknown as Json } }),
      bad('no kind', names({ kind: '' })),
      bad('an invalid kind', names({ kind: 'bad kind' })),
      bad('an invalid plural', names({ plural: 'Bads' })),
      bad('an invalid short name', names({ shortNames: ['B_'] })),
      bad('an invalid category', names({ categories: ['A B'] })),
      bad('a list kind that is the kind', names({ listKind: 'Bad' })),
      bad('unknown fields preserved', { spec: { preserveUnknownFields: true } }),
      bad('a webhook without configuration', { spec: { conversion: { strategy: 'Webhook' } } }),
      bad('an unknown conversion', { spec: { conversion: { strategy: 'Magic' } } }),
      bad('a schema that is no object', { schema: { type: 'string' } }),
      bad('a schema without a type', { schema: { properties: {} } }),
      bad('a property without a type', schema({ a: {} })),
      bad('an unknown type', schema({ a: { type: 'thing' } })),
      bad('an array without items', schema({ a: { type: 'array' } })),
      bad('a list of items', schema({ a: { type: 'array', items: [text] } })),
      bad('additional properties forbidden', schema({}, { additionalProperties: false }), 201),
      bad(
        'properties and additional properties',
        schema({ a: text }, { additionalProperties: text }),
      ),
      bad('a reference', schema({ a: { $ref: '#/x' } })),
      bad('unique items', schema({ a: { type: 'array', uniqueItems: true, items: text } })),
      bad('a definition inside', schema({}, { definitions: { a: text } })),
      bad('a dependency', schema({}, { dependencies: { a: ['b'] } })),
      bad('an invalid pattern', schema({ a: { type: 'string', pattern: '(' } })),
      bad('a default of a wrong type', schema({ a: { type: 'string', default: 5 } })),
      bad('a default out of range', schema({ a: { type: 'integer', minimum: 5, default: 1 } })),
      bad(
        'a default with unknown fields',
        schema({ a: object({ b: text }, { default: { c: 'x' } }) }),
      ),
      bad('a default under anyOf', schema({ a: { type: 'string', anyOf: [{ default: 'x' }] } })),
      bad('a type under allOf', schema({ a: { type: 'string', allOf: [{ type: 'string' }] } })),
      bad('a description under not', schema({ a: { type: 'string', not: { description: 'x' } } })),
      bad('nullable under oneOf', schema({ a: { type: 'string', oneOf: [{ nullable: true }] } })),
      bad(
        'int-or-string with another type',
        schema({ a: { type: 'string', 'x-kubernetes-int-or-string': true } }),
        201,
      ),
      bad(
        'preserved fields of text',
        schema({ a: { type: 'string', 'x-kubernetes-preserve-unknown-fields': true } }),
        201,
      ),
      bad(
        'preserved fields that are false',
        schema({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } }),
      ),
      bad(
        'an embedded resource that is no object',
        schema({ a: { type: 'string', 'x-kubernetes-embedded-resource': true } }),
      ),
      bad(
        'an embedded resource without properties',
        schema({ a: { type: 'object', 'x-kubernetes-embedded-resource': true } }),
      ),
      bad(
        'a list map without keys',
        schema({
          a: { type: 'array', 'x-kubernetes-list-type': 'map', items: object({ b: text }) },
        }),
      ),
      bad(
        'a list map with an unknown key',
        schema({
          a: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['c'],
            items: object({ b: text }),
          },
        }),
      ),
      bad(
        'a list map with an optional key',
        schema({
          a: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['b'],
            items: object({ b: text }),
          },
        }),
      ),
      bad(
        'a list map of text',
        schema({
          a: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['b'],
            items: text,
          },
        }),
      ),
      bad(
        'list keys without a list map',
        schema({
          a: { type: 'array', 'x-kubernetes-list-map-keys': ['b'], items: object({ b: text }) },
        }),
      ),
      bad(
        'an unknown list type',
        schema({ a: { type: 'array', 'x-kubernetes-list-type': 'heap', items: text } }),
      ),
      bad(
        'a set of maps',
        schema({
          a: { type: 'array', 'x-kubernetes-list-type': 'set', items: object({ b: text }) },
        }),
      ),
      bad(
        'a list type of a map',
        schema({ a: { type: 'object', 'x-kubernetes-list-type': 'set' } }),
      ),
      bad(
        'an unknown map type',
        schema({ a: { type: 'object', 'x-kubernetes-map-type': 'fuzzy' } }),
      ),
      bad('rules for metadata', {
        schema: object({
          metadata: object({
            name: { type: 'string', maxLength: 5 },
            labels: { type: 'object' },
          }),
        }),
      }),
      bad('a column without a path', {
        version: { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '' }] },
      }),
      bad('a column with a wrong path', {
        version: {
          additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'spec.a' }],
        },
      }),
      bad('a column of an unknown type', {
        version: {
          additionalPrinterColumns: [{ name: 'A', type: 'thing', jsonPath: '.spec.a' }],
        },
      }),
      bad('a scale without paths', { version: { subresources: { scale: {} } } }),
      bad('a scale outside spec', {
        version: {
          subresources: {
            scale: { specReplicasPath: '.status.a', statusReplicasPath: '.status.b' },
          },
        },
      }),
      bad('a status that is text', { version: { subresources: { status: 'x' } } }, 400),
      bad('a selectable field that is not there', {
        version: { selectableFields: [{ jsonPath: '.spec.none' }] },
      }),
      bad('a selectable field that is a map', {
        version: { selectableFields: [{ jsonPath: '.spec.labels' }] },
      }),
      bad('a selectable field twice', {
        version: { selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.color' }] },
      }),
      bad('a selectable field of metadata', {
        version: { selectableFields: [{ jsonPath: '.metadata.name' }] },
      }),
      bad('a warning without deprecation', { version: { deprecationWarning: 'x' } }),
      bad('a protected group', {
        metadata: { name: 'bads.some.k8s.io' },
        spec: { group: 'some.k8s.io' },
      }),
      bad('an unknown field of the schema', schema({ a: { type: 'string', odd: true } }), 201),
      bad('required fields named twice', schema({ a: text }, { required: ['a', 'a'] }), 201),
      bad('an unknown format', schema({ a: { type: 'string', format: 'odd' } }), 201),
    ],
    withoutStatus,
  )
})
