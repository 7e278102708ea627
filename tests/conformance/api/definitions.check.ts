import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { spec, text } from './schema-parts.ts'
import { conformance, valueAt, withoutStatus } from './suite.ts'
import { until200 } from './until-200.ts'
import { definitionOf, definitionsPath, serve } from './widget.ts'

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

  describe('refuses', () => {
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
    same('a definition that already exists', 409, () =>
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
})
