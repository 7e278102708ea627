import { describe, expect, test, vi } from 'vitest'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { recordHistory } from '../testing/history.ts'
import { informerHarness } from '../testing/informer-harness.ts'
import { answerJson, failure } from '../testing/scripted-server.ts'
import { byOwner, ownerIndex } from './indexed-store.ts'
import { InformerTimeoutError } from './waiters.ts'

vi.setConfig({ testTimeout: 180_000 })

const harness = informerHarness()
const { converged, inform, names, requests, start } = harness

describe('an informer fetches the initial state', () => {
  test.each([
    { because: 'from a stream', watchList: true, requested: ['PartialObjectMetadata'] },
    {
      because: 'from a list and a watch',
      watchList: false,
      requested: ['PartialObjectMetadataList', 'PartialObjectMetadata'],
    },
  ])('with metadata only if requested, $because', async ({ watchList, requested }) => {
    harness.truth.put('a')
    await start({ metadataOnly: true, watchList })
    await vi.waitFor(() => expect(harness.truth.watching).toBe(1), 60_000)
    expect(harness.truth.server.requests.map(({ headers }) => headers.accept)).toEqual(
      requested.map((as) => `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`),
    )
  })

  test('with the kind of the object, also for metadata-only responses', async () => {
    const metadata = { namespace: 'team', name: 'a', uid: 'u', resourceVersion: '5' }
    harness.truth.fault = ({ query }, response) => {
      if (query.get('watch') === 'true') return false
      const item = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata }
      answerJson(response, 200, { metadata: { resourceVersion: '100' }, items: [item] })
      return true
    }
    await start({ metadataOnly: true, watchList: false })
    expect(harness.informer.store.list()).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    ])
  })

  test('from one watch if the server can stream it', async () => {
    harness.truth.put('a')
    harness.truth.put('b')
    const history = await start()
    expect(names()).toEqual(['a', 'b'])
    expect(history.lines).toEqual(['add a', 'add b'])
    harness.truth.put('c')
    harness.truth.put('a', { x: 'y' })
    harness.truth.remove('b')
    await converged()
    expect(history.lines).toEqual(['add a', 'add b', 'add c', 'update a', 'delete b'])
    expect(requests()).toEqual(['stream now'])
    const query = harness.truth.server.requests[0]?.query
    expect(query?.get('allowWatchBookmarks')).toBe('true')
    expect(query?.get('resourceVersionMatch')).toBe('NotOlderThan')
    const seconds = Number(query?.get('timeoutSeconds'))
    expect(seconds).toBeGreaterThanOrEqual(300)
    expect(seconds).toBeLessThanOrEqual(600)
  })

  test('from pages and a watch if the server cannot stream it', async () => {
    harness.truth.watchList = false
    for (const name of ['a', 'b', 'c', 'd', 'e']) harness.truth.put(name)
    const history = await start({ pageSize: 2 })
    harness.truth.put('f')
    await converged()
    expect(history.lines).toHaveLength(6)
    expect(requests()).toEqual(['stream now', 'list 0', 'list now', 'list now', 'watch 105'])
  })

  test('from one unpaged list if the pages expire', async () => {
    for (const name of ['a', 'b', 'c']) harness.truth.put(name)
    let lists = 0
    harness.truth.fault = ({ query }) => {
      if (query.get('watch') !== 'true' && ++lists === 2) {
        harness.truth.put('d')
        harness.truth.compact()
      }
      return false
    }
    await start({ pageSize: 1, watchList: false })
    expect(names()).toEqual(['a', 'b', 'c', 'd'])
    expect(harness.informer.stats().replaces).toBe(1)
  })

  test('from a list if the server treats the stream as a plain watch', async () => {
    harness.truth.put('a')
    harness.truth.fault = ({ query }, response) => {
      if (query.get('sendInitialEvents') !== 'true') return false
      response.writeHead(200)
      response.flushHeaders()
      return true
    }
    await start({ initialIdleMs: 30 })
    expect(names()).toEqual(['a'])
    expect(requests().slice(0, 2)).toEqual(['stream now', 'list 0'])
  })

  test('and shows nothing before it is complete', async () => {
    harness.truth.put('a')
    harness.truth.cutAfter = 200
    const history = recordHistory<ConfigMap>()
    inform({ watchList: true })
    harness.informer.addHandler(history.handler)
    harness.truth.fault = ({ query }, response) => {
      if (query.get('watch') === 'true') return false
      answerJson(response, 500, failure(500, 'InternalError'))
      return true
    }
    harness.informer.start()
    const wait = harness.informer.waitForSync({ timeoutMs: 60 })
    await expect(wait).rejects.toBeInstanceOf(InformerTimeoutError)
    expect(harness.informer.hasSynced()).toBe(false)
    expect(history.lines).toEqual([])
  })
})

describe('reading', () => {
  test('objects are transformed, shared and frozen', async () => {
    harness.truth.put('a')
    await start({ transform: (object) => ({ ...object, data: { only: 'this' } }) })
    const object = harness.informer.store.get({ namespace: 'team', name: 'a' })
    expect(object?.data).toEqual({ only: 'this' })
    expect(object).toBe(harness.informer.store.get('team/a'))
    expect(() => Object.assign(object?.metadata ?? {}, { name: 'b' })).toThrow(TypeError)
  })

  test('own writes can be awaited', async () => {
    await start()
    harness.truth.put('a')
    const wait = harness.informer.waitForRevision(String(harness.truth.revision), {
      timeoutMs: 60_000,
    })
    await wait
    expect(names()).toEqual(['a'])
    await harness.informer.waitForRevision('50')
    const never = harness.informer.waitForRevision('99999', { timeoutMs: 20 })
    await expect(never).rejects.toBeInstanceOf(InformerTimeoutError)
    const controller = new AbortController()
    const aborted = harness.informer.waitForRevision('99999', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
  })

  test('memory is reported', async () => {
    for (let n = 0; n < 1000; n++) harness.truth.put(`object-${n}`, { text: 'x'.repeat(500) })
    await start()
    const { objects, bytes, bytesPerObject } = harness.informer.stats()
    expect(objects).toBe(1000)
    expect(bytesPerObject).toBeGreaterThan(100)
    expect(bytes).toBe(bytesPerObject * objects)
  })

  test('indexes follow the objects', async () => {
    harness.truth.put('a')
    await start({
      indexers: { [ownerIndex]: byOwner, length: ({ data }) => Object.keys(data ?? {}) },
    })
    expect(harness.informer.store.byIndex('length', 'x')).toEqual([])
    harness.truth.put('a', { x: '1', y: '2' })
    await converged()
    expect(harness.informer.store.byIndex('length', 'x')).toHaveLength(1)
    expect(harness.informer.store.byIndex('namespace', 'team')).toHaveLength(1)
    expect(() => harness.informer.store.byIndex('nothing', 'x')).toThrow('no index named nothing')
  })

  test('handlers are not called after a stop', async () => {
    harness.truth.put('a')
    const history = await start()
    await harness.informer.stop()
    harness.truth.put('b')
    await vi.waitFor(() => expect(harness.truth.watching).toBe(0), 60_000)
    expect(history.lines).toEqual(['add a'])
    await expect(harness.informer.waitForRevision('99999')).rejects.toThrow()
  })
})
