import type { Json } from '@agents/crd'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { conformance, stringAt, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const uid = '00000000-0000-4000-8000-000000000000'

conformance('delete', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const make = async (name: string, metadata: Fields = {}) => {
    const answer = await client.send('POST', path, widget(name, { spec: { size: 1 } }, metadata))
    expect(answer.code, answer.text).toBe(201)
    return answer
  }
  const makeMap = async (name: string, metadata: Fields = {}) => {
    const answer = await client.send('POST', maps, { metadata: { name, ...metadata } })
    expect(answer.code, answer.text).toBe(201)
    return answer
  }
  const remove = (name: string, options?: Json, query = '') =>
    client.send('DELETE', `${path}/${name}${query}`, options)
  const held = { finalizers: ['example.dev/held'] }

  beforeAll(() => serve(client, fullWidgetDefinition(group)))

  describe('one object', () => {
    same('goes, and the answer names it', 200, async () => {
      await make('plain')
      return remove('plain')
    })
    same('goes, and the answer names it, when it is a built-in', 200, async () => {
      await makeMap('plain')
      return client.send('DELETE', `${maps}/plain`)
    })
    same('that is not there is not found', 404, () => remove('none'))
    same('that was deleted is not found', 404, async () => {
      await make('twice')
      await remove('twice')
      return client.get(`${path}/twice`)
    })
    same('goes only with the right uid', 409, async () => {
      await make('uid')
      return remove('uid', { preconditions: { uid } })
    })
    same('goes with its uid', 200, async () => {
      const made = await make('own-uid')
      return remove('own-uid', { preconditions: { uid: stringAt(made, 'metadata.uid') } })
    })
    same(
      'goes only with the right version',
      409,
      async () => {
        await make('version')
        return remove('version', { preconditions: { resourceVersion: '1' } })
      },
      [[/in object meta: \d+/, 'in object meta: <version>']],
    )
    same('goes dry, and stays', 200, async () => {
      await make('dry')
      return [
        await remove('dry', undefined, '?dryRun=All'),
        await remove('dry', { dryRun: ['All'] }),
        await client.get(`${path}/dry`),
      ]
    })
    same('takes options of the query', 200, async () => {
      await make('query')
      return remove('query', undefined, '?propagationPolicy=Background&gracePeriodSeconds=0')
    })
    test.each(['Background', 'Foreground', 'Orphan'])(
      'may be deleted with policy %s',
      async (propagationPolicy) => {
        const name = `policy-${propagationPolicy.toLowerCase()}`
        await make(name)
        expect((await remove(name, { propagationPolicy })).code).toBe(200)
      },
    )
  })

  describe('options', () => {
    beforeAll(() => makeMap('options'))
    const rows: readonly (readonly [string, number, Json, string?])[] = [
      ['an unknown policy', 422, { propagationPolicy: 'Guess' }],
      [
        'a policy together with orphaning',
        422,
        { propagationPolicy: 'Orphan', orphanDependents: true },
      ],
      ['an unknown dry run', 422, { dryRun: ['Some'] }],
      ['a body that is no JSON', 400, '{'],
      ['a body of another kind', 400, { apiVersion: 'v1', kind: 'ConfigMap' }],
      ['a body with its kind', 200, { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] }],
      [
        'a body with the kind of meta',
        200,
        { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', dryRun: ['All'] },
      ],
      ['a grace that is text', 400, { gracePeriodSeconds: 'soon' }],
      ['a negative grace', 200, { gracePeriodSeconds: -5, dryRun: ['All'] }],
      ['an unknown field', 200, { color: 'red', dryRun: ['All'] }],
      ['preconditions that are no object', 400, { preconditions: 'x' }],
    ]
    sameEach(
      rows.map(([what, code, body]) => [
        `deleting with ${what}`,
        code,
        'DELETE',
        `${maps}/options`,
        body,
      ]),
    )
    sameEach([
      [
        'deleting with a policy in the query that is unknown',
        422,
        'DELETE',
        `${maps}/options?propagationPolicy=Guess`,
      ],
      [
        'deleting with a grace in the query that is text',
        400,
        'DELETE',
        `${maps}/options?gracePeriodSeconds=soon`,
      ],
    ])
  })

  describe('finalizers', () => {
    same('keep an object that is being deleted', 200, async () => {
      await make('held', held)
      return [await remove('held'), await client.get(`${path}/held`)]
    })
    same('keep a built-in that is being deleted', 200, async () => {
      await makeMap('held', held)
      return client.send('DELETE', `${maps}/held`)
    })
    same('deleting again changes nothing', 200, async () => remove('held'))
    same('no new one may be added meanwhile', 422, () =>
      client.send(
        'PATCH',
        `${path}/held`,
        { metadata: { finalizers: ['example.dev/held', 'example.dev/new'] } },
        merge,
      ),
    )
    same('no new one may be added to a built-in meanwhile', 422, () =>
      client.send(
        'PATCH',
        `${maps}/held`,
        { metadata: { finalizers: ['example.dev/held', 'example.dev/new'] } },
        merge,
      ),
    )
    same('other fields may still change', 200, () =>
      client.send(
        'PATCH',
        `${path}/held`,
        { metadata: { labels: { a: 'b' } }, spec: { size: 2 } },
        merge,
      ),
    )
    same('the deletion cannot be taken back', 200, () =>
      client.send('PATCH', `${path}/held`, { metadata: { deletionTimestamp: null } }, merge),
    )
    same('a second object of the name is refused meanwhile', 409, () =>
      client.send('POST', path, widget('held')),
    )
    same('the last one to go takes the object with it', 200, async () => [
      await client.send('PATCH', `${path}/held`, { metadata: { finalizers: null } }, merge),
      { ...(await client.get(`${path}/held`)), code: 200 },
    ])
    same('may go by a put', 200, async () => {
      const { body } = await client.get(`${maps}/held`)
      const next = structuredClone(body) as { metadata: Fields }
      delete next.metadata.finalizers
      return [
        await client.send('PUT', `${maps}/held`, next as Fields),
        { ...(await client.get(`${maps}/held`)), code: 200 },
      ]
    })
    same('may go dry, and stay', 200, async () => {
      await make('dry-final', held)
      await remove('dry-final')
      return [
        await client.send(
          'PATCH',
          `${path}/dry-final?dryRun=All`,
          { metadata: { finalizers: null } },
          merge,
        ),
        await client.get(`${path}/dry-final`),
      ]
    })
    same('may go while nothing is deleted', 200, async () => {
      await make('unheld', held)
      return client.send('PATCH', `${path}/unheld`, { metadata: { finalizers: null } }, merge)
    })
    same('of the garbage collector are set by the foreground policy', 200, async () => {
      await make('foreground', held)
      return remove('foreground', { propagationPolicy: 'Foreground' })
    })
    same('of the garbage collector are set by the orphan policy', 200, async () => {
      await make('orphan', held)
      return remove('orphan', { propagationPolicy: 'Orphan' })
    })
    same('a resource version condition holds while finalizers wait', 409, async () => {
      await make('conditional', held)
      return remove('conditional', { preconditions: { uid } })
    })
  })

  describe('a collection', () => {
    const items = (name: string) => ['a', 'b', 'c'].map((each) => `${name}-${each}`)
    const makeAll = async (name: string) => {
      for (const each of items(name)) await makeMap(each, { labels: { of: name } })
    }
    same('goes by a selector', 200, async () => {
      await makeAll('selected')
      const answer = await client.send('DELETE', `${maps}?labelSelector=of%3Dselected`)
      expect(valueAt(await client.get(`${maps}?labelSelector=of%3Dselected`), 'items')).toEqual([])
      return answer
    })
    same('of custom resources goes by a selector', 200, async () => {
      for (const name of ['c1', 'c2']) await make(name, { labels: { of: 'c' } })
      const answer = await client.send('DELETE', `${path}?labelSelector=of%3Dc`)
      expect(valueAt(await client.get(`${path}?labelSelector=of%3Dc`), 'items')).toEqual([])
      return answer
    })
    same('of many goes dry, and stays', 200, async () => {
      await makeAll('dry')
      return [
        await client.send('DELETE', `${maps}?labelSelector=of%3Ddry&dryRun=All`),
        await client.get(`${maps}?labelSelector=of%3Ddry`),
      ]
    })
    same('that is held stays', 200, async () => {
      await makeMap('held-1', { labels: { of: 'held' }, ...held })
      return [
        await client.send('DELETE', `${maps}?labelSelector=of%3Dheld`),
        await client.get(`${maps}?labelSelector=of%3Dheld`),
      ]
    })
    same('may be empty', 200, () => client.send('DELETE', `${maps}?labelSelector=of%3Dnothing`))
    sameEach([
      ['a collection needs a right selector', 400, 'DELETE', `${maps}?labelSelector=%3D`],
      [
        'a collection takes options',
        422,
        'DELETE',
        `${maps}?labelSelector=of%3Dx`,
        { propagationPolicy: 'Guess' },
      ],
      ['a collection across all namespaces is not allowed', 405, 'DELETE', '/api/v1/configmaps'],
      ['namespaces are no collection to delete', 405, 'DELETE', '/api/v1/namespaces'],
      [
        'services may be deleted as a collection',
        200,
        'DELETE',
        `/api/v1/namespaces/${namespace}/services`,
      ],
    ])
  })
})
