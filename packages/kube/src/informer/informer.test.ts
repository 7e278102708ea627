import { describe, expect, test, vi } from 'vitest'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { recordHistory } from '../testing/history.ts'
import { informerBench } from '../testing/informer-bench.ts'
import { answerJson, failure } from '../testing/scripted-server.ts'
import { byOwner, OWNER_INDEX } from './indexed-store.ts'
import { InformerTimeoutError } from './waiters.ts'

vi.setConfig({ testTimeout: 180_000 })

const bench = informerBench()
const { converged, inform, names, requests, start } = bench

describe('an informer learns the state', () => {
  test.each([
    { because: 'in a stream', watchList: true, asked: ['PartialObjectMetadata'] },
    {
      because: 'in a list and a watch',
      watchList: false,
      asked: ['PartialObjectMetadataList', 'PartialObjectMetadata'],
    },
  ])('without contents when nobody wants them, $because', async ({ watchList, asked }) => {
    bench.truth.put('a')
    await start({ metadataOnly: true, watchList })
    await vi.waitFor(() => expect(bench.truth.watching).toBe(1), 60_000)
    expect(bench.truth.server.requests.map(({ headers }) => headers.accept)).toEqual(
      asked.map((as) => `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`),
    )
  })

  test('under its own kind, also where the server left the contents out', async () => {
    const metadata = { namespace: 'team', name: 'a', uid: 'u', resourceVersion: '5' }
    bench.truth.fault = ({ query }, response) => {
      if (query.get('watch') === 'true') return false
      const item = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata }
      answerJson(response, 200, { metadata: { resourceVersion: '100' }, items: [item] })
      return true
    }
    await start({ metadataOnly: true, watchList: false })
    expect(bench.informer.store.list()).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }])
  })

  test('from one watch where the server can stream it', async () => {
    bench.truth.put('a')
    bench.truth.put('b')
    const history = await start()
    expect(names()).toEqual(['a', 'b'])
    expect(history.lines).toEqual(['add a', 'add b'])
    bench.truth.put('c')
    bench.truth.put('a', { x: 'y' })
    bench.truth.remove('b')
    await converged()
    expect(history.lines).toEqual(['add a', 'add b', 'add c', 'update a', 'delete b'])
    expect(requests()).toEqual(['stream now'])
    const query = bench.truth.server.requests[0]?.query
    expect(query?.get('allowWatchBookmarks')).toBe('true')
    expect(query?.get('resourceVersionMatch')).toBe('NotOlderThan')
    const seconds = Number(query?.get('timeoutSeconds'))
    expect(seconds).toBeGreaterThanOrEqual(300)
    expect(seconds).toBeLessThanOrEqual(600)
  })

  test('from pages and a watch where it cannot', async () => {
    bench.truth.watchList = false
    for (const name of ['a', 'b', 'c', 'd', 'e']) bench.truth.put(name)
    const history = await start({ pageSize: 2 })
    bench.truth.put('f')
    await converged()
    expect(history.lines).toHaveLength(6)
    expect(requests()).toEqual(['stream now', 'list 0', 'list now', 'list now', 'watch 105'])
  })

  test('from one long list when pages expire under its hands', async () => {
    for (const name of ['a', 'b', 'c']) bench.truth.put(name)
    let lists = 0
    bench.truth.fault = ({ query }) => {
      if (query.get('watch') !== 'true' && ++lists === 2) {
        bench.truth.put('d')
        bench.truth.compact()
      }
      return false
    }
    await start({ pageSize: 1, watchList: false })
    expect(names()).toEqual(['a', 'b', 'c', 'd'])
    expect(bench.informer.stats().replaces).toBe(1)
  })

  test('from a list when the server takes the stream for a plain watch', async () => {
    bench.truth.put('a')
    bench.truth.fault = ({ query }, response) => {
      if (query.get('sendInitialEvents') !== 'true') return false
      response.writeHead(200)
      response.flushHeaders()
      return true
    }
    await start({ initialIdleMs: 30 })
    expect(names()).toEqual(['a'])
    expect(requests().slice(0, 2)).toEqual(['stream now', 'list 0'])
  })

  test('nothing is known before all of it is', async () => {
    bench.truth.put('a')
    bench.truth.cutAfter = 200
    const history = recordHistory<ConfigMap>()
    inform({ watchList: true })
    bench.informer.addHandler(history.handler)
    bench.truth.fault = ({ query }, response) => {
      if (query.get('watch') === 'true') return false
      answerJson(response, 500, failure(500, 'InternalError'))
      return true
    }
    bench.informer.start()
    const wait = bench.informer.waitForSync({ timeoutMs: 60 })
    await expect(wait).rejects.toBeInstanceOf(InformerTimeoutError)
    expect(bench.informer.hasSynced()).toBe(false)
    expect(history.lines).toEqual([])
  })
})

describe('reading', () => {
  test('objects are lean, shared and cannot be changed', async () => {
    bench.truth.put('a')
    await start({ transform: (object) => ({ ...object, data: { only: 'this' } }) })
    const object = bench.informer.store.get({ namespace: 'team', name: 'a' })
    expect(object?.data).toEqual({ only: 'this' })
    expect(object).toBe(bench.informer.store.get('team/a'))
    expect(() => Object.assign(object?.metadata ?? {}, { name: 'b' })).toThrow(TypeError)
  })

  test('one’s own writes can be waited for', async () => {
    await start()
    bench.truth.put('a')
    const wait = bench.informer.waitForRevision(String(bench.truth.revision), { timeoutMs: 60_000 })
    await wait
    expect(names()).toEqual(['a'])
    await bench.informer.waitForRevision('50')
    const never = bench.informer.waitForRevision('99999', { timeoutMs: 20 })
    await expect(never).rejects.toBeInstanceOf(InformerTimeoutError)
    const controller = new AbortController()
    const aborted = bench.informer.waitForRevision('99999', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
  })

  test('memory is reported', async () => {
    for (let n = 0; n < 1000; n++) bench.truth.put(`object-${n}`, { text: 'x'.repeat(500) })
    await start()
    const { objects, bytes, bytesPerObject } = bench.informer.stats()
    expect(objects).toBe(1000)
    expect(bytesPerObject).toBeGreaterThan(100)
    expect(bytes).toBe(bytesPerObject * objects)
  })

  test('indexes follow the objects', async () => {
    bench.truth.put('a')
    await start({
      indexers: { [OWNER_INDEX]: byOwner, length: ({ data }) => Object.keys(data ?? {}) },
    })
    expect(bench.informer.store.byIndex('length', 'x')).toEqual([])
    bench.truth.put('a', { x: '1', y: '2' })
    await converged()
    expect(bench.informer.store.byIndex('length', 'x')).toHaveLength(1)
    expect(bench.informer.store.byIndex('namespace', 'team')).toHaveLength(1)
    expect(() => bench.informer.store.byIndex('nothing', 'x')).toThrow('no index called nothing')
  })

  test('nothing happens any more after it was stopped', async () => {
    bench.truth.put('a')
    const history = await start()
    await bench.informer.stop()
    bench.truth.put('b')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(history.lines).toEqual(['add a'])
    await vi.waitFor(() => expect(bench.truth.watching).toBe(0), 60_000)
    await expect(bench.informer.waitForRevision('99999')).rejects.toThrow()
  })
})
