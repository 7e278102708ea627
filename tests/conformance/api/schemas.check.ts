import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { object, spec, text } from './schema-parts.ts'
import { conformance, type Row, stringAt, valueAt } from './suite.ts'
import { definitionOf, definitionsPath, serve } from './widget.ts'

conformance('schemas', ({ client, namespace, group, sameEach }) => {
  const objects = (plural: string, version = 'v1') =>
    `/apis/${group}/${version}/namespaces/${namespace}/${plural}`
  const instance = (kind: string, name: string, rest: Fields = {}, version = 'v1'): Fields => ({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name },
    ...rest,
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
