import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Fields } from './client.ts'
import { configMapsOf } from './config-maps.ts'
import { applied, merge } from './patch-formats.ts'
import { conformance, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('ownership', (suite) => {
  const { client, namespace, group, same } = suite
  const { path, widget } = widgetsOf(suite)
  const { maps, map, applyMap } = configMapsOf(suite)
  const apply = (manager: string, name: string, spec: Fields, query = ''): Promise<Answer> =>
    client.send(
      'PATCH',
      `${path}/${name}?fieldManager=${manager}${query}`,
      widget(name, { spec }),
      applied,
    )

  beforeAll(() => serve(client, fullWidgetDefinition(group)))

  describe('ownership', () => {
    same('the same again changes nothing', 200, async () => [
      await applyMap('one', 'same', { a: '1' }),
      await applyMap('one', 'same', { a: '1' }),
    ])
    same('another value of another manager is a conflict', 409, async () => {
      await applyMap('one', 'conflict', { a: '1' })
      return applyMap('two', 'conflict', { a: '2' })
    })
    same('several conflicts are all reported', 409, async () => {
      await apply('one', 'conflicts', {
        size: 1,
        color: 'red',
        tags: ['a'],
        labels: { x: '1' },
        ports: [{ port: 80, name: 'web' }],
        words: ['a'],
      })
      return apply('two', 'conflicts', {
        size: 2,
        color: 'blue',
        tags: ['a', 'b'],
        labels: { x: '2', y: '3' },
        ports: [{ port: 80, name: 'other' }],
        words: ['b'],
      })
    })
    same('conflicts with several managers are all reported', 409, async () => {
      await apply('one', 'managers', { size: 1 })
      await apply('two', 'managers', { size: 1, color: 'red' })
      return apply('three', 'managers', { size: 2, color: 'blue' })
    })
    same('a conflict with an update is reported with its time', 409, async () => {
      await client.send(
        'POST',
        `${path}?fieldManager=maker`,
        widget('made-by-update', { spec: { size: 1 } }),
      )
      return apply('one', 'made-by-update', { size: 2 })
    })
    same('a conflict with a status update is reported with its subresource', 409, async () => {
      await apply('one', 'sub', { size: 1 })
      await client.send(
        'PATCH',
        `${path}/sub/status?fieldManager=stater`,
        { status: { phase: 'a' } },
        merge,
      )
      return client.send(
        'PATCH',
        `${path}/sub/status?fieldManager=two`,
        widget('sub', { status: { phase: 'b' } }),
        applied,
      )
    })
    same('the same value is shared', 200, async () => {
      await applyMap('one', 'shared', { a: '1' })
      return applyMap('two', 'shared', { a: '1', b: '2' })
    })
    same('force takes ownership', 200, async () => {
      await apply('one', 'forced', { size: 1, color: 'red' })
      return apply('two', 'forced', { size: 2 }, '&force=true')
    })
    same('a field that is no longer applied is removed', 200, async () => {
      await apply('one', 'less', {
        size: 1,
        color: 'red',
        labels: { a: '1', b: '2' },
        tags: ['a', 'b'],
        ports: [{ port: 1 }, { port: 2 }],
      })
      return apply('one', 'less', {
        size: 1,
        labels: { b: '2' },
        tags: ['b'],
        ports: [{ port: 2 }],
      })
    })
    same('what another manager owns too stays', 200, async () => {
      await apply('one', 'stays', { size: 1, color: 'red' })
      await apply('two', 'stays', { color: 'red' })
      return apply('one', 'stays', { size: 1 })
    })
    same('a default that is no longer applied comes back', 200, async () => {
      await apply('one', 'default', { mode: 'manual' })
      return apply('one', 'default', { size: 1 })
    })
    same('nothing at all is given up', 200, async () => {
      await applyMap('one', 'nothing', { a: '1' })
      return applyMap('one', 'nothing')
    })
    same('lists of two managers are merged by key', 200, async () => {
      await apply('one', 'merged', { ports: [{ port: 1, name: 'one' }], tags: ['a'] })
      return apply('two', 'merged', {
        ports: [
          { port: 2, name: 'two' },
          { port: 1, protocol: 'UDP' },
        ],
        tags: ['b'],
      })
    })
    same('an atomic list has one owner', 409, async () => {
      await apply('one', 'atomic', { words: ['a'] })
      return apply('two', 'atomic', { words: ['a', 'b'] })
    })
    same('an atomic map has one owner', 409, async () => {
      await apply('one', 'atomic-map', { fixed: { a: '1' } })
      return apply('two', 'atomic-map', { fixed: { b: '1' } })
    })
    same('free fields are owned one by one', 200, async () => {
      await apply('one', 'free', { free: { a: { b: 1 }, list: [1, 2] } })
      return apply('two', 'free', { free: { a: { c: 2 } } })
    })
    same('null is not a value of a map', 422, async () => {
      await apply('one', 'null', { size: 1 })
      return apply('one', 'null', { size: 1, color: null, labels: null })
    })
    same('empty maps and lists are owned', 201, () =>
      apply('one', 'empty', { labels: {}, tags: [], ports: [], settings: { a: '' } }),
    )
    same('an update owns what it changes', 200, async () => {
      await apply('one', 'taken', { size: 1, color: 'red' })
      return client.send(
        'PATCH',
        `${path}/taken?fieldManager=updater`,
        { spec: { size: 2 } },
        merge,
      )
    })
    same('an update that removes a field leaves it without owner', 200, async () => {
      await apply('one', 'removed', { size: 1, color: 'red' })
      return client.send(
        'PATCH',
        `${path}/removed?fieldManager=updater`,
        { spec: { color: null } },
        merge,
      )
    })
    same('labels and annotations are owned one by one', 200, async () => {
      const body = (labels: Fields) => map('labels', undefined, { labels, annotations: labels })
      await client.send('PATCH', `${maps}/labels?fieldManager=one`, body({ a: '1' }), applied)
      return client.send('PATCH', `${maps}/labels?fieldManager=two`, body({ b: '2' }), applied)
    })
    same('finalizers are a set', 200, async () => {
      const body = (finalizers: string[]) => map('finals', undefined, { finalizers })
      await client.send('PATCH', `${maps}/finals?fieldManager=one`, body(['a.dev/a']), applied)
      return client.send('PATCH', `${maps}/finals?fieldManager=two`, body(['a.dev/b']), applied)
    })
    same('owners are merged by uid', 200, async () => {
      const body = (uid: string) =>
        map('owned', undefined, {
          ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: uid, uid }],
        })
      await client.send('PATCH', `${maps}/owned?dryRun=All&fieldManager=one`, body('a'), applied)
      await client.send('POST', maps, { metadata: { name: 'owned' } })
      return client.send('PATCH', `${maps}/owned?dryRun=All&fieldManager=two`, body('b'), applied)
    })
  })

  describe('managed fields', () => {
    same('may be reset by an empty list', 200, async () => {
      await apply('one', 'reset', { size: 1 })
      return client.send('PATCH', `${path}/reset`, { metadata: { managedFields: [] } }, merge)
    })
    same('may be reset by a list of one empty entry', 200, async () => {
      await apply('one', 'reset-2', { size: 1 })
      return client.send('PATCH', `${path}/reset-2`, { metadata: { managedFields: [{}] } }, merge)
    })
    same('that are nonsense are kept out', 200, async () => {
      await apply('one', 'broken', { size: 1 })
      const managedFields = [
        { manager: 'x', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { nonsense: {} } },
      ]
      return client.send('PATCH', `${path}/broken`, { metadata: { managedFields } }, merge)
    })
    same('may be edited', 200, async () => {
      await apply('one', 'edited', { size: 1 })
      const managedFields = [
        {
          manager: 'x',
          operation: 'Update',
          apiVersion: `${group}/v1`,
          time: '2001-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:size': {} } },
        },
      ]
      return client.send('PATCH', `${path}/edited`, { metadata: { managedFields } }, merge)
    })
    same('go to the default manager, the first part of the user agent', 201, () =>
      client.send('POST', maps, map('agent', { a: '1' }), {
        headers: { 'user-agent': 'some-tool/v1.2 (x) y' },
      }),
    )
    test('keep at most ten updaters', async () => {
      await client.send('POST', maps, map('crowd', { a: '1' }))
      for (let index = 0; index < 14; index += 1) {
        const name = `updater-${String(index).padStart(2, '0')}`
        await client.send(
          'PATCH',
          `${maps}/crowd?fieldManager=${name}`,
          { data: { [name]: '1' } },
          merge,
        )
      }
      const entries = valueAt(await client.get(`${maps}/crowd`), 'metadata.managedFields') as {
        manager: string
      }[]
      expect(entries).toHaveLength(10)
      expect(entries.map(({ manager }) => manager)).toContain('ancient-changes')
    })
    test('of an entry that did not change keep their time', async () => {
      await apply('one', 'timed', { size: 1 })
      const before = await client.get(`${path}/timed`)
      await new Promise((resolve) => setTimeout(resolve, 1100))
      const again = await apply('one', 'timed', { size: 1 })
      expect(again.body).toEqual(before.body)
    })
  })

  describe('subresources', () => {
    same('status is applied on its own', 200, async () => {
      await apply('one', 'status', { size: 1 })
      return client.send(
        'PATCH',
        `${path}/status/status?fieldManager=stater`,
        widget('status', {
          spec: { size: 9 },
          status: { phase: 'a', conditions: [{ type: 'Ready', status: 'True' }] },
        }),
        applied,
      )
    })
    same('conditions of two managers are merged by type', 200, async () => {
      await apply('one', 'conditions', { size: 1 })
      const body = (type: string) =>
        widget('conditions', { status: { conditions: [{ type, status: 'True' }] } })
      await client.send(
        'PATCH',
        `${path}/conditions/status?fieldManager=one`,
        body('Ready'),
        applied,
      )
      return client.send(
        'PATCH',
        `${path}/conditions/status?fieldManager=two`,
        body('Synced'),
        applied,
      )
    })
    same('status of what is not there is not created', 404, () =>
      client.send(
        'PATCH',
        `${path}/none/status?fieldManager=one`,
        widget('none', { status: { phase: 'a' } }),
        applied,
      ),
    )
    same('the scale may be applied', 200, async () => {
      await apply('one', 'scaled', { size: 1 })
      return [
        await client.send(
          'PATCH',
          `${path}/scaled/scale?fieldManager=scaler`,
          {
            apiVersion: 'autoscaling/v1',
            kind: 'Scale',
            metadata: { name: 'scaled', namespace },
            spec: { replicas: 4 },
          },
          applied,
        ),
        await client.get(`${path}/scaled`),
      ]
    })
    same('an owner of replicas is in the way of the scale', 409, async () => {
      await apply('one', 'scale-conflict', { replicas: 1 })
      return client.send(
        'PATCH',
        `${path}/scale-conflict/scale?fieldManager=scaler`,
        {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'scale-conflict', namespace },
          spec: { replicas: 4 },
        },
        applied,
      )
    })
  })
})
