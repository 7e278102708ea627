import { describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { merge } from './patch-formats.ts'
import { conformance, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve } from './widget.ts'

const namespaces = '/api/v1/namespaces'

conformance('namespaces', ({ client, group, same, sameEach }) => {
  const make = async (name: string) => {
    expect((await client.send('POST', namespaces, { metadata: { name } })).code).toBe(201)
    await until(
      async () => (await client.get(`${namespaces}/${name}/serviceaccounts/default`)).code === 200,
    )
  }
  const isGone = (name: string) =>
    until(async () => (await client.get(`${namespaces}/${name}`)).code === 404, undefined, {
      timeoutMs: 200_000,
    })

  describe('a namespace', () => {
    test.each(['default', 'kube-system', 'kube-public', 'kube-node-lease'])(
      '%s is there from the beginning',
      async (name) => {
        await until(async () => (await client.get(`${namespaces}/${name}`)).code === 200)
      },
    )
    sameEach([
      [
        'is active and has a finalizer and a label',
        201,
        'POST',
        namespaces,
        { metadata: { name: 'conformance-fresh' } },
      ],
      [
        'keeps its label',
        200,
        'PATCH',
        `${namespaces}/conformance-fresh`,
        { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } },
        merge,
      ],
      [
        'keeps its finalizer',
        200,
        'PATCH',
        `${namespaces}/conformance-fresh`,
        { spec: { finalizers: [] } },
        merge,
      ],
      [
        'keeps its status',
        200,
        'PATCH',
        `${namespaces}/conformance-fresh`,
        { status: { phase: 'Terminating' } },
        merge,
      ],
      [
        'may be found by its name',
        200,
        'GET',
        `${namespaces}?fieldSelector=metadata.name%3Dconformance-fresh`,
      ],
      ['that is protected cannot be deleted', 403, 'DELETE', `${namespaces}/default`],
      ['of the system cannot be deleted', 403, 'DELETE', `${namespaces}/kube-system`],
      ['that is not there cannot be deleted', 404, 'DELETE', `${namespaces}/conformance-none`],
    ])
    test('gets an account and a certificate', async () => {
      await until(
        async () =>
          (await client.get(`${namespaces}/conformance-fresh/serviceaccounts/default`)).code ===
          200,
      )
      await until(
        async () =>
          (await client.get(`${namespaces}/conformance-fresh/configmaps/kube-root-ca.crt`)).code ===
          200,
      )
    })
    test('gets its account back when that is deleted', async () => {
      const path = `${namespaces}/conformance-fresh/serviceaccounts/default`
      const before = valueAt(await client.get(path), 'metadata.uid')
      await client.send('DELETE', path)
      await until(async () => {
        const answer = await client.get(path)
        return answer.code === 200 && valueAt(answer, 'metadata.uid') !== before
      })
    })
  })

  describe('a deletion', () => {
    same('begins with an answer that shows the namespace', 200, async () => {
      await make('conformance-begin')
      return client.send('DELETE', `${namespaces}/conformance-begin`)
    })
    test('empties the namespace and ends', async () => {
      await serve(client, fullWidgetDefinition(group))
      const name = 'conformance-end'
      await make(name)
      const widgets = `/apis/${group}/v1/namespaces/${name}/widgets`
      await client.send('POST', `${namespaces}/${name}/configmaps`, { metadata: { name: 'a' } })
      await client.send('POST', widgets, {
        apiVersion: `${group}/v1`,
        kind: 'Widget',
        metadata: { name: 'a' },
      })
      await client.send('DELETE', `${namespaces}/${name}`)
      await isGone(name)
      expect((await client.get(`${widgets}/a`)).code).toBe(404)
      expect((await client.get(`${namespaces}/${name}/configmaps/a`)).code).toBe(404)
      expect((await client.send('POST', namespaces, { metadata: { name } })).code).toBe(201)
      expect(valueAt(await client.get(widgets), 'items')).toEqual([])
    })
    same('refuses what is new', 403, async () => {
      const name = 'conformance-held'
      await make(name)
      const maps = `${namespaces}/${name}/configmaps`
      await client.send('POST', maps, {
        metadata: { name: 'held', finalizers: ['example.dev/hold'] },
      })
      await client.send('DELETE', `${namespaces}/${name}`)
      await until(
        async () =>
          valueAt(await client.get(`${maps}/held`), 'metadata.deletionTimestamp') !== undefined,
      )
      return client.send('POST', maps, { metadata: { name: 'late' } })
    })
    test('tells what it waits for', async () => {
      await until(
        async () => {
          const conditions = (valueAt(
            await client.get(`${namespaces}/conformance-held`),
            'status.conditions',
          ) ?? []) as { type: string; status: string }[]
          return conditions.some(
            ({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True',
          )
        },
        undefined,
        { timeoutMs: 200_000 },
      )
    })
    same('goes on when nothing holds it', 404, async () => {
      const maps = `${namespaces}/conformance-held/configmaps`
      await client.send('PATCH', `${maps}/held`, { metadata: { finalizers: null } }, merge)
      await isGone('conformance-held')
      return client.get(`${namespaces}/conformance-held`)
    })
    test('may be asked for again', async () => {
      await make('conformance-twice')
      await client.send('POST', `${namespaces}/conformance-twice/configmaps`, {
        metadata: { name: 'held', finalizers: ['example.dev/hold'] },
      })
      await client.send('DELETE', `${namespaces}/conformance-twice`)
      const again = await client.send('DELETE', `${namespaces}/conformance-twice`)
      expect(again.code).toBe(200)
      expect(again.body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } })
    })
    test('may be finished by hand', async () => {
      const path = `${namespaces}/conformance-twice`
      // The namespace controller writes conditions meanwhile, so that the first attempt may conflict.
      const finalize = async () => {
        const { body } = await client.get(path)
        const finalized = { ...(body as object), spec: { finalizers: [] } }
        return (await client.send('PUT', `${path}/finalize`, finalized)).code
      }
      await expect.poll(finalize, { timeout: 200_000 }).toBe(200)
      await client.send(
        'PATCH',
        `${path}/configmaps/held`,
        { metadata: { finalizers: null } },
        merge,
      )
    })
  })
})
