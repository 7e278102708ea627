import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { conformance, type Row, stringAt, valueAt, withoutStatus } from './suite.ts'
import { until, until200 } from './until.ts'
import { definitionOf, definitionsPath, serve } from './widget.ts'

type Fields = { [key: string]: Json }
const merge = { type: 'application/merge-patch+json' }
const text: Fields = { type: 'string' }
const object = (properties: Fields, rest: Fields = {}): Fields => ({
  type: 'object',
  properties,
  ...rest,
})
/** A schema whose spec has these properties. */
const spec = (properties: Fields, rest: Fields = {}): Fields =>
  object({ spec: object(properties, rest) })

conformance('definitions', ({ client, namespace, group, same, sameEach }) => {
  const objects = (plural: string, version = 'v1') =>
    `/apis/${group}/${version}/namespaces/${namespace}/${plural}`
  const instance = (kind: string, name: string, rest: Fields = {}, version = 'v1'): Fields => ({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name },
    ...rest,
  })
  const conditionIs = (plural: string, type: string, status: string) =>
    until(async () => {
      const answer = await client.get(`${definitionsPath}/${plural}.${group}`)
      const conditions = (valueAt(answer, 'status.conditions') ?? []) as {
        type: string
        status: string
      }[]
      return conditions.some((each) => each.type === type && each.status === status)
    })

  describe('a definition', () => {
    same('gets defaults and is established', 200, async () => {
      const definition = definitionOf(group, { plural: 'defaults', kind: 'Default' })
      const { names } = definition.spec as { names: Fields }
      delete names.singular
      delete names.listKind
      const made = await client.send('POST', definitionsPath, definition)
      await conditionIs('defaults', 'Established', 'True')
      return [withoutStatus(made), await client.get(`${definitionsPath}/defaults.${group}`)]
    })
    same('whose names are taken is not accepted', 200, async () => {
      await serve(
        client,
        definitionOf(group, {
          plural: 'takens',
          kind: 'Taken',
          spec: {
            names: {
              plural: 'takens',
              kind: 'Taken',
              singular: 'taken',
              listKind: 'TakenList',
              shortNames: ['tk'],
            },
          },
        }),
      )
      const made = await client.send(
        'POST',
        definitionsPath,
        definitionOf(group, {
          plural: 'others',
          kind: 'Taken',
          spec: {
            names: {
              plural: 'others',
              kind: 'Taken',
              singular: 'taken',
              listKind: 'TakenList',
              shortNames: ['tk'],
            },
          },
        }),
      )
      expect(made.code, made.text).toBe(201)
      await conditionIs('others', 'NamesAccepted', 'False')
      return client.get(`${definitionsPath}/others.${group}`)
    })
    test('whose names are taken is not served until they are free', async () => {
      expect((await client.get(objects('others'))).code).toBe(404)
      await client.send('DELETE', `${definitionsPath}/takens.${group}`)
      await until200(client, objects('others'))
    })
    same('that is deleted takes its objects with it', 404, async () => {
      await serve(client, definitionOf(group, { plural: 'goners', kind: 'Goner' }))
      await client.send('POST', objects('goners'), instance('Goner', 'a'))
      const deleted = await client.send('DELETE', `${definitionsPath}/goners.${group}`)
      expect(deleted.code).toBe(200)
      await until(async () => (await client.get(`${definitionsPath}/goners.${group}`)).code === 404)
      await until(async () => (await client.get(objects('goners'))).code === 404)
      await serve(client, definitionOf(group, { plural: 'goners', kind: 'Goner' }))
      expect(valueAt(await client.get(objects('goners')), 'items')).toEqual([])
      return client.get(`${objects('goners')}/a`)
    })
    test('that is deleted waits for its objects', async () => {
      await serve(client, definitionOf(group, { plural: 'waiters', kind: 'Waiter' }))
      const held = { ...instance('Waiter', 'a'), metadata: { name: 'a', finalizers: ['a.dev/b'] } }
      await client.send('POST', objects('waiters'), held)
      await client.send('DELETE', `${definitionsPath}/waiters.${group}`)
      await conditionIs('waiters', 'Terminating', 'True')
      await until(
        async () =>
          valueAt(await client.get(`${objects('waiters')}/a`), 'metadata.deletionTimestamp') !==
          undefined,
      )
      const refused = await client.send('POST', objects('waiters'), instance('Waiter', 'b'))
      expect(refused.code).toBe(403)
      expect(refused.text).toContain(
        'create not allowed while custom resource definition is terminating',
      )
      await client.send(
        'PATCH',
        `${objects('waiters')}/a`,
        { metadata: { finalizers: null } },
        merge,
      )
      await until(
        async () => (await client.get(`${definitionsPath}/waiters.${group}`)).code === 404,
      )
    })
    same('may be changed, and holds for what comes after', 422, async () => {
      await serve(
        client,
        definitionOf(group, { plural: 'changes', kind: 'Change', schema: spec({ a: text }) }),
      )
      const at = `${definitionsPath}/changes.${group}`
      expect(
        (
          await client.send(
            'POST',
            `${objects('changes')}`,
            instance('Change', 'a', { spec: { a: 'long text' } }),
          )
        ).code,
      ).toBe(201)
      const schema = { openAPIV3Schema: spec({ a: { type: 'string', maxLength: 3 } }) }
      const changed = await client.send(
        'PATCH',
        at,
        { spec: { versions: [{ name: 'v1', served: true, storage: true, schema }] } },
        merge,
      )
      expect(changed.code, changed.text).toBe(200)
      await until(
        async () =>
          (
            await client.send(
              'POST',
              `${objects('changes')}?dryRun=All`,
              instance('Change', 'b', { spec: { a: 'long text' } }),
            )
          ).code === 422,
      )
      return client.send(
        'POST',
        `${objects('changes')}?dryRun=All`,
        instance('Change', 'b', { spec: { a: 'long text' } }),
      )
    })
    same('ratchets: what was wrong before may stay as it is', 200, () =>
      client.send(
        'PATCH',
        `${objects('changes')}/a?dryRun=All`,
        { metadata: { labels: { a: 'b' } } },
        merge,
      ),
    )
    same('ratchets: what was wrong before may not be changed into another wrong value', 422, () =>
      client.send(
        'PATCH',
        `${objects('changes')}/a?dryRun=All`,
        { spec: { a: 'other text' } },
        merge,
      ),
    )
    test('keeps its status from those who may not set it', async () => {
      const before = await client.get(`${definitionsPath}/changes.${group}`)
      const after = await client.send(
        'PATCH',
        `${definitionsPath}/changes.${group}`,
        { status: { conditions: null } },
        merge,
      )
      expect(valueAt(after, 'status')).toEqual(valueAt(before, 'status'))
    })
    test('has a generation', async () => {
      expect(
        valueAt(await client.get(`${definitionsPath}/changes.${group}`), 'metadata.generation'),
      ).toBe(2)
    })
  })

  describe('versions', () => {
    const version = (name: string, rest: Fields = {}): Fields => ({
      name,
      served: true,
      storage: false,
      schema: { openAPIV3Schema: spec({ a: text, b: { type: 'string', default: name } }) },
      ...rest,
    })
    const versions = [
      version('v1', { storage: true }),
      version('v1beta1', { deprecated: true }),
      version('v2alpha1', { deprecated: true, deprecationWarning: 'old and tired' }),
      version('v0', { served: false }),
    ]
    test('are served together', () =>
      serve(client, definitionOf(group, { plural: 'manies', kind: 'Many', spec: { versions } })))
    same('show the same object', 200, async () => {
      await client.send('POST', objects('manies'), instance('Many', 'a', { spec: { a: 'x' } }))
      return [
        await client.get(`${objects('manies', 'v1beta1')}/a`),
        await client.get(`${objects('manies', 'v2alpha1')}/a`),
        await client.get(objects('manies', 'v1beta1')),
      ]
    })
    same('that are not served are not found', 404, () => client.get(objects('manies', 'v0')))
    same('may each write', 201, () =>
      client.send('POST', objects('manies', 'v1beta1'), instance('Many', 'b', {}, 'v1beta1')),
    )
    same('that are deprecated warn', 200, () => client.get(`${objects('manies', 'v2alpha1')}/b`))
    same('must fit the body', 400, () =>
      client.send('POST', objects('manies'), instance('Many', 'c', {}, 'v1beta1')),
    )
    same('are listed with the preferred one first', 200, async () => {
      const answer = await client.get('/apis')
      const groups = (answer.body as { groups: { name: string }[] }).groups
      return {
        ...answer,
        body: JSON.parse(JSON.stringify(groups.find(({ name }) => name === group))) as Json,
      }
    })
    same('that were stored are remembered', 200, async () => {
      const swapped = versions.map((each) => ({ ...each, storage: each.name === 'v1beta1' }))
      const answer = await client.send(
        'PATCH',
        `${definitionsPath}/manies.${group}`,
        { spec: { versions: swapped } },
        merge,
      )
      return { ...answer, body: valueAt(answer, 'status.storedVersions') ?? null }
    })
    same('that were stored may not be removed', 422, () =>
      client.send(
        'PATCH',
        `${definitionsPath}/manies.${group}`,
        {
          spec: {
            versions: versions
              .slice(1)
              .map((each) => ({ ...each, storage: each.name === 'v1beta1' })),
          },
        },
        merge,
      ),
    )
  })

  describe('is refused', () => {
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
        bad(
          'a description under not',
          schema({ a: { type: 'string', not: { description: 'x' } } }),
        ),
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
    same('a change of scope', 422, () =>
      client.send(
        'PATCH',
        `${definitionsPath}/changes.${group}?dryRun=All`,
        { spec: { scope: 'Cluster' } },
        merge,
      ),
    )
    same('a change of group', 422, () =>
      client.send(
        'PATCH',
        `${definitionsPath}/changes.${group}?dryRun=All`,
        { spec: { group: 'other.example.dev' } },
        merge,
      ),
    )
    same('a change of plural', 422, () =>
      client.send(
        'PATCH',
        `${definitionsPath}/changes.${group}?dryRun=All`,
        { spec: { names: { plural: 'other' } } },
        merge,
      ),
    )
    same('a definition that is there already', 409, () =>
      client.send(
        'POST',
        definitionsPath,
        definitionOf(group, { plural: 'changes', kind: 'Change' }),
      ),
    )
  })

  describe('cluster-wide', () => {
    const wide = `/apis/${group}/v1/wides`
    test('objects are served', () =>
      serve(client, definitionOf(group, { plural: 'wides', kind: 'Wide', scope: 'Cluster' })))
    sameEach([
      ['cluster-wide objects have no namespace', 201, 'POST', wide, instance('Wide', 'a')],
      [
        'cluster-wide objects lose one that they are given',
        201,
        'POST',
        wide,
        { ...instance('Wide', 'b'), metadata: { name: 'b', namespace: 'default' } },
      ],
      ['cluster-wide objects are not below a namespace', 404, 'GET', objects('wides')],
      [
        'cluster-wide objects are not made below a namespace',
        404,
        'POST',
        objects('wides'),
        instance('Wide', 'b'),
      ],
      ['cluster-wide objects are found by name', 200, 'GET', `${wide}/a`],
      ['cluster-wide objects are deleted', 200, 'DELETE', `${wide}/a`],
    ])
  })

  describe('defaults and pruning', () => {
    const rich = spec({
      deep: object({ a: { type: 'string', default: 'x' }, b: { type: 'integer', default: 5 } }),
      made: object({ a: { type: 'string', default: 'y' } }, { default: {} }),
      list: {
        type: 'array',
        default: [{ a: '1' }],
        items: object({ a: text, b: { type: 'string', default: 'z' } }),
      },
      map: {
        type: 'object',
        additionalProperties: object({ a: { type: 'string', default: 'm' } }),
      },
      nothing: { type: 'string', nullable: true, default: 'n' },
      kept: object({ known: text }, { 'x-kubernetes-preserve-unknown-fields': true }),
      pruned: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { inner: object({ a: text }) },
      },
      embedded: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      one: {
        type: 'object',
        properties: { a: text, b: text },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      any: {
        type: 'object',
        properties: { a: text, b: text },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      not: { type: 'string', not: { enum: ['bad'] } },
      all: { type: 'integer', allOf: [{ minimum: 3 }, { maximum: 5 }] },
      number: { type: 'number', multipleOf: 0.5, exclusiveMinimum: true, minimum: 0 },
      sized: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: text },
      uri: { type: 'string', format: 'uri' },
      email: { type: 'string', format: 'email' },
      ip: { type: 'string', format: 'ipv4' },
      cidr: { type: 'string', format: 'cidr' },
      uuid: { type: 'string', format: 'uuid' },
      bytes: { type: 'string', format: 'byte' },
      date: { type: 'string', format: 'date' },
      duration: { type: 'string', format: 'duration' },
      hostname: { type: 'string', format: 'hostname' },
    })
    const make = (what: string, code: number, value: Json): Row => [
      `a rich object with ${what}`,
      code,
      'POST',
      `${objects('riches')}?dryRun=All`,
      instance('Rich', 'a', { spec: value }),
    ]
    test('the rich kind is served', () =>
      serve(client, definitionOf(group, { plural: 'riches', kind: 'Rich', schema: rich })))
    sameEach([
      make('nothing', 201, {}),
      make('an empty map', 201, { deep: {} }),
      make('null for what has a default inside', 201, { deep: { a: null } }),
      make('null for a list with a default', 201, { list: null }),
      make('an empty list', 201, { list: [] }),
      make('items', 201, { list: [{}, { b: 'q' }] }),
      make('a map', 201, { map: { x: {}, y: { a: 'b', odd: 1 } } }),
      make('null where it may be', 201, { nothing: null }),
      make('unknown fields that are kept', 201, { kept: { known: 'a', odd: { deep: 1 } } }),
      make('unknown fields inside a known part of what is kept', 201, {
        pruned: { odd: 1, inner: { a: 'b', odd: 1 } },
      }),
      make('an embedded object', 201, {
        embedded: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'a', odd: 1 },
          spec: { any: 1 },
        },
      }),
      make('an embedded object without a kind', 422, { embedded: { metadata: { name: 'a' } } }),
      make('an embedded object with any name', 201, {
        embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'A_' } },
      }),
      make('one of two', 201, { one: { a: 'x' } }),
      make('none of one of two', 422, { one: {} }),
      make('both of one of two', 422, { one: { a: 'x', b: 'y' } }),
      make('none of any of two', 422, { any: {} }),
      make('what it must not be', 422, { not: 'bad' }),
      make('a number too small for one of all', 422, { all: 2 }),
      make('a number too large for one of all', 422, { all: 6 }),
      make('a number that is no multiple', 422, { number: 0.7 }),
      make('a number at its excluded limit', 422, { number: 0 }),
      make('too few properties', 422, { sized: {} }),
      make('too many properties', 422, { sized: { a: '1', b: '2', c: '3' } }),
      make('a wrong URI', 422, { uri: '::' }),
      make('a wrong email', 422, { email: 'x' }),
      make('a wrong address', 422, { ip: '1.2.3' }),
      make('a wrong network', 422, { cidr: '1.2.3.4' }),
      make('a wrong UUID', 422, { uuid: 'x' }),
      make('wrong bytes', 422, { bytes: '%' }),
      make('a wrong date', 422, { date: '2001-13-01' }),
      make('a wrong duration', 422, { duration: 'x' }),
      make('a right duration', 201, { duration: '1h30m' }),
      make('a wrong host name', 422, { hostname: '-' }),
      make('right formats', 201, {
        uri: 'https://a.dev',
        email: 'a@b.dev',
        ip: '1.2.3.4',
        cidr: '10.0.0.0/8',
        uuid: '11111111-2222-4333-8444-555555555555',
        bytes: 'aGk=',
        date: '2001-12-01',
        hostname: 'a.dev',
      }),
    ])
    test('a new default shows in old objects', async () => {
      await serve(
        client,
        definitionOf(group, { plural: 'laters', kind: 'Later', schema: spec({ a: text }) }),
      )
      const made = await client.send(
        'POST',
        objects('laters'),
        instance('Later', 'a', { spec: {} }),
      )
      const schema = { openAPIV3Schema: spec({ a: { type: 'string', default: 'late' } }) }
      await client.send(
        'PATCH',
        `${definitionsPath}/laters.${group}`,
        { spec: { versions: [{ name: 'v1', served: true, storage: true, schema }] } },
        merge,
      )
      await until(
        async () => valueAt(await client.get(`${objects('laters')}/a`), 'spec.a') === 'late',
      )
      const read = await client.get(`${objects('laters')}/a`)
      expect(stringAt(read, 'metadata.resourceVersion')).toBe(
        stringAt(made, 'metadata.resourceVersion'),
      )
    })
  })
})
