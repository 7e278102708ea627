import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { conformance, stringAt, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const uid = '00000000-0000-4000-8000-000000000000'

conformance('update', (suite) => {
  const { client, namespace, group, same } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const bodyOf = (answer: Answer) =>
    structuredClone(answer.body) as Fields & { metadata: Fields; spec: Fields }
  const make = async (
    name: string,
    rest: Fields = { spec: { size: 1 } },
    metadata: Fields = {},
  ) => {
    const answer = await client.send('POST', path, widget(name, rest, metadata))
    expect(answer.code, answer.text).toBe(201)
    return bodyOf(answer)
  }
  const makeMap = async (name: string, rest: Fields = {}) => {
    const answer = await client.send('POST', maps, {
      metadata: { name },
      data: { a: '1' },
      ...rest,
    })
    expect(answer.code, answer.text).toBe(201)
    return bodyOf(answer)
  }

  beforeAll(() => serve(client, fullWidgetDefinition(group)))

  describe('a put', () => {
    same('replaces what it does not name', 200, async () => {
      const old = await make('replace', { spec: { size: 1, color: 'red' } }, { labels: { a: 'b' } })
      const { metadata } = old
      const next = widget(
        'replace',
        { spec: { size: 2 } },
        { resourceVersion: metadata.resourceVersion as string },
      )
      return [
        await client.send('PUT', `${path}/replace`, next),
        await client.get(`${path}/replace`),
      ]
    })
    same('with an old version is a conflict', 409, async () => {
      const old = await make('stale')
      await client.send('PATCH', `${path}/stale`, { spec: { size: 2 } }, merge)
      return client.send('PUT', `${path}/stale`, old)
    })
    same('of a built-in with an old version is a conflict', 409, async () => {
      const old = await makeMap('stale')
      await client.send('PATCH', `${maps}/stale`, { data: { a: '2' } }, merge)
      return client.send('PUT', `${maps}/stale`, old)
    })
    same('of a custom resource needs a version', 422, async () => {
      await make('versionless')
      return client.send('PUT', `${path}/versionless`, widget('versionless', { spec: { size: 2 } }))
    })
    same('of a config map needs none', 200, async () => {
      await makeMap('versionless')
      return client.send('PUT', `${maps}/versionless`, {
        metadata: { name: 'versionless' },
        data: { b: '2' },
      })
    })
    same('that changes nothing writes nothing', 200, async () => {
      const old = await make('noop')
      return [await client.send('PUT', `${path}/noop`, old), await client.get(`${path}/noop`)]
    })
    same('that changes nothing writes nothing, with a manager of its own', 200, async () => {
      const old = await make('noop-2')
      return client.send('PUT', `${path}/noop-2?fieldManager=other`, old)
    })
    same('of a config map that changes nothing writes nothing', 200, async () => {
      const old = await makeMap('noop')
      return client.send('PUT', `${maps}/noop`, old)
    })
    same('to a name that does not exist is not found', 404, () =>
      client.send('PUT', `${path}/none`, widget('none', {}, { resourceVersion: '1' })),
    )
    same('of a config map that does not exist is not found', 404, () =>
      client.send('PUT', `${maps}/none`, { metadata: { name: 'none' } }),
    )
    same('of a custom resource that does not exist, without version', 404, () =>
      client.send('PUT', `${path}/none`, widget('none')),
    )
    same('with a uid where nothing is', 404, () =>
      client.send('PUT', `${maps}/none`, { metadata: { name: 'none', uid } }),
    )
    same('of a lease that does not exist creates it', 201, () =>
      client.send('PUT', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/new`, {
        metadata: { name: 'new' },
        spec: { holderIdentity: 'me' },
      }),
    )
    same('with another name than the path is refused', 400, async () => {
      const old = await make('named')
      old.metadata.name = 'other'
      return client.send('PUT', `${path}/named`, old)
    })
    same('without a name is refused', 400, async () => {
      await makeMap('unnamed')
      return client.send('PUT', `${maps}/unnamed`, { data: { c: '3' } })
    })
    same('with another namespace than the path is refused', 400, async () => {
      const old = await make('spaced')
      old.metadata.namespace = 'default'
      return client.send('PUT', `${path}/spaced`, old)
    })
    same('with another uid is a conflict', 409, async () => {
      const old = await make('identity')
      old.metadata.uid = uid
      return client.send('PUT', `${path}/identity`, old)
    })
    same('with a version that is not a number', 500, async () => {
      const old = await make('nonsense')
      old.metadata.resourceVersion = 'abc'
      return client.send('PUT', `${path}/nonsense`, old)
    })
    same('of a config map with a version that is not a number', 500, async () => {
      const old = await makeMap('nonsense')
      old.metadata.resourceVersion = 'abc'
      return client.send('PUT', `${maps}/nonsense`, old)
    })
    same('cannot change when it was created, but may say so', 200, async () => {
      const old = await make('birth')
      delete old.metadata.creationTimestamp
      delete old.metadata.uid
      delete old.metadata.generation
      old.spec.size = 5
      return client.send('PUT', `${path}/birth`, old)
    })
    same('with another creation time keeps the old one', 200, async () => {
      const old = await make('birth-2')
      old.metadata.creationTimestamp = '2001-01-01T00:00:00Z'
      return client.send('PUT', `${path}/birth-2`, old)
    })
    same('cannot set a deletion time, and gets an error', 422, async () => {
      const old = await make('death')
      old.metadata.deletionTimestamp = '2001-01-01T00:00:00Z'
      old.metadata.deletionGracePeriodSeconds = 5
      return client.send('PUT', `${path}/death`, old)
    })
    same('that is invalid is refused', 422, async () => {
      const old = await make('invalid')
      old.spec.size = 1000
      old.spec.color = 'pink'
      return client.send('PUT', `${path}/invalid`, old)
    })
    same('with another kind is refused', 422, async () => {
      const old = await make('kinds')
      return client.send('PUT', `${path}/kinds`, { ...old, kind: 'Gadget' })
    })
    same('without a body is refused', 400, () => client.send('PUT', `${path}/kinds`))
    same('to all custom resources has no name', 400, () => client.send('PUT', path, widget('all')))
    same('to all config maps is not allowed', 405, () => client.send('PUT', maps, {}))
    same('dry, answers and keeps nothing', 200, async () => {
      const old = await make('dry')
      old.spec.size = 7
      return [
        await client.send('PUT', `${path}/dry?dryRun=All`, old),
        await client.get(`${path}/dry`),
      ]
    })
    same('dry, sees conflicts', 409, async () => {
      const old = await make('dry-conflict')
      await client.send('PATCH', `${path}/dry-conflict`, { spec: { size: 2 } }, merge)
      return client.send('PUT', `${path}/dry-conflict?dryRun=All`, old)
    })
    same('with a manager too long is refused', 422, () =>
      client.send('PUT', `${maps}/noop?fieldManager=${'x'.repeat(129)}`, {
        metadata: { name: 'noop' },
      }),
    )
  })

  test('of many writers with one version only one wins', async () => {
    const old = await make('race')
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((size) =>
        client.send('PUT', `${path}/race`, { ...old, spec: { size: size + 10 } }),
      ),
    )
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409, 409])
  })

  test('of many patches all win', async () => {
    await makeMap('patched')
    const answers = await Promise.all(
      ['b', 'c', 'd', 'e'].map((key) =>
        client.send('PATCH', `${maps}/patched`, { data: { [key]: '1' } }, merge),
      ),
    )
    expect(answers.map(({ code }) => code)).toEqual([200, 200, 200, 200])
    expect(Object.keys(valueAt(await client.get(`${maps}/patched`), 'data') as Fields)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ])
  })

  describe('the generation', () => {
    const generationAfter = async (
      name: string,
      patch: Fields,
      sub = '',
    ): Promise<[number, number]> => {
      const old = await make(name, { spec: { size: 1 } })
      const next = await client.send('PATCH', `${path}/${name}${sub}`, patch, merge)
      expect(next.code, next.text).toBe(200)
      return [old.metadata.generation as number, valueAt(next, 'metadata.generation') as number]
    }
    test.each<[string, string, Fields, string, number]>([
      ['grows with the spec', 'g-spec', { spec: { size: 2 } }, '', 2],
      ['stays with a label', 'g-label', { metadata: { labels: { a: 'b' } } }, '', 1],
      ['stays with an annotation', 'g-note', { metadata: { annotations: { a: 'b' } } }, '', 1],
      ['stays with a finalizer', 'g-final', { metadata: { finalizers: ['a.dev/b'] } }, '', 1],
      ['stays with the status', 'g-status', { status: { phase: 'x' } }, '/status', 1],
      ['stays when status is sent to the object', 'g-drop', { status: { phase: 'x' } }, '', 1],
      ['stays when nothing changes', 'g-none', { spec: { size: 1 } }, '', 1],
      ['cannot be set', 'g-set', { metadata: { generation: 9 } }, '', 1],
      ['grows with the scale', 'g-scale', { spec: { replicas: 5 } }, '', 2],
    ])('%s', async (_, name, patch, sub, expected) => {
      expect(await generationAfter(name, patch, sub)).toEqual([1, expected])
    })

    same('grows when a deletion begins', 200, async () => {
      await make('g-delete', { spec: {} }, { finalizers: ['example.dev/wait'] })
      return [await client.send('DELETE', `${path}/g-delete`), await client.get(`${path}/g-delete`)]
    })
    same('of a config map does not exist', 200, () => client.get(`${maps}/noop`))
    same('of a deployment grows with its spec alone', 200, async () => {
      const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
      const labels = { app: 'a' }
      const containers = [{ name: 'a', image: 'a' }]
      const made = await client.send('POST', deployments, {
        metadata: { name: 'a', labels },
        spec: {
          replicas: 0,
          paused: true,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      })
      expect(made.code, made.text).toBe(201)
      const label = await client.send(
        'PATCH',
        `${deployments}/a`,
        { metadata: { labels: { b: 'c' } } },
        merge,
      )
      const spec = await client.send(
        'PATCH',
        `${deployments}/a`,
        { spec: { minReadySeconds: 3 } },
        merge,
      )
      expect([made, label, spec].map((each) => valueAt(each, 'metadata.generation'))).toEqual([
        1, 1, 2,
      ])
      return client.get(`${deployments}/none`).then((missing) => ({ ...missing, code: 200 }))
    })
  })

  test('a write that changes nothing keeps the version', async () => {
    const old = await make('still')
    const next = await client.send('PATCH', `${path}/still`, { spec: { size: 1 } }, merge)
    expect(stringAt(next, 'metadata.resourceVersion')).toBe(old.metadata.resourceVersion)
  })
})
