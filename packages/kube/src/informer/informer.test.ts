import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createKubeClient, type KubeClient } from '../client/kube-client.ts'
import { ConfigMapKind } from '../kind/builtin-kinds.ts'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { recordHistory } from '../testing/history.ts'
import { answerJson, failure } from '../testing/scripted-server.ts'
import { startWatchServer, type WatchServer } from '../testing/watch-server.ts'
import { byOwner, OWNER_INDEX } from './indexed-store.ts'
import { createInformer, type Informer, type InformerOptions } from './informer.ts'
import { InformerTimeoutError } from './waiters.ts'

vi.setConfig({ testTimeout: 180_000 })

let truth: WatchServer
let client: KubeClient
let informer: Informer<ConfigMap>

const quick = { baseMs: 2, maxMs: 10, resetAfterMs: 120_000 }

beforeEach(async () => {
  truth = await startWatchServer()
  client = createKubeClient(
    { server: truth.server.url, namespace: 'team' },
    { retry: { baseDelayMs: 1, maxDelayMs: 2 } },
  )
})

afterEach(async () => {
  await informer.stop()
  client.close()
  await truth.server.stop()
})

const inform = (options: Partial<InformerOptions<ConfigMap>> = {}): Informer<ConfigMap> => {
  informer = createInformer({
    client,
    kind: ConfigMapKind,
    namespace: 'team',
    freeze: true,
    backoff: quick,
    ...options,
  })
  return informer
}

const start = async (options: Partial<InformerOptions<ConfigMap>> = {}) => {
  const history = recordHistory<ConfigMap>()
  inform(options)
  informer.addHandler(history.handler)
  informer.start()
  await informer.waitForSync({ timeoutMs: 60_000 })
  return history
}

const names = (): string[] =>
  informer.store
    .list()
    .map(({ metadata }) => metadata.name)
    .sort()
const converged = () =>
  vi.waitFor(() => {
    expect(Object.fromEntries(informer.store.list().map((o) => [o.metadata.name, o]))).toEqual(
      Object.fromEntries(truth.objects),
    )
  }, 60_000)
const requests = (): string[] =>
  truth.server.requests.map(({ query }) => {
    if (query.get('watch') !== 'true') return `list ${query.get('resourceVersion') ?? 'now'}`
    const from = query.get('resourceVersion') ?? 'now'
    return query.get('sendInitialEvents') === 'true' ? `stream ${from}` : `watch ${from}`
  })

describe('an informer learns the state', () => {
  test.each([
    { because: 'in a stream', watchList: true, asked: ['PartialObjectMetadata'] },
    {
      because: 'in a list and a watch',
      watchList: false,
      asked: ['PartialObjectMetadataList', 'PartialObjectMetadata'],
    },
  ])('without contents when nobody wants them, $because', async ({ watchList, asked }) => {
    truth.put('a')
    await start({ metadataOnly: true, watchList })
    await vi.waitFor(() => expect(truth.watching).toBe(1), 60_000)
    expect(truth.server.requests.map(({ headers }) => headers.accept)).toEqual(
      asked.map((as) => `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`),
    )
  })

  test('under its own kind, also where the server left the contents out', async () => {
    const metadata = { namespace: 'team', name: 'a', uid: 'u', resourceVersion: '5' }
    truth.fault = ({ query }, response) => {
      if (query.get('watch') === 'true') return false
      const item = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata }
      answerJson(response, 200, { metadata: { resourceVersion: '100' }, items: [item] })
      return true
    }
    await start({ metadataOnly: true, watchList: false })
    expect(informer.store.list()).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }])
  })

  test('from one watch where the server can stream it', async () => {
    truth.put('a')
    truth.put('b')
    const history = await start()
    expect(names()).toEqual(['a', 'b'])
    expect(history.lines).toEqual(['add a', 'add b'])
    truth.put('c')
    truth.put('a', { x: 'y' })
    truth.remove('b')
    await converged()
    expect(history.lines).toEqual(['add a', 'add b', 'add c', 'update a', 'delete b'])
    expect(requests()).toEqual(['stream now'])
    const query = truth.server.requests[0]?.query
    expect(query?.get('allowWatchBookmarks')).toBe('true')
    expect(query?.get('resourceVersionMatch')).toBe('NotOlderThan')
    const seconds = Number(query?.get('timeoutSeconds'))
    expect(seconds).toBeGreaterThanOrEqual(300)
    expect(seconds).toBeLessThanOrEqual(600)
  })

  test('from pages and a watch where it cannot', async () => {
    truth.watchList = false
    for (const name of ['a', 'b', 'c', 'd', 'e']) truth.put(name)
    const history = await start({ pageSize: 2 })
    truth.put('f')
    await converged()
    expect(history.lines).toHaveLength(6)
    expect(requests()).toEqual(['stream now', 'list 0', 'list now', 'list now', 'watch 105'])
  })

  test('from one long list when pages expire under its hands', async () => {
    for (const name of ['a', 'b', 'c']) truth.put(name)
    let lists = 0
    truth.fault = ({ query }) => {
      if (query.get('watch') !== 'true' && ++lists === 2) {
        truth.put('d')
        truth.compact()
      }
      return false
    }
    await start({ pageSize: 1, watchList: false })
    expect(names()).toEqual(['a', 'b', 'c', 'd'])
    expect(informer.stats().replaces).toBe(1)
  })

  test('from a list when the server takes the stream for a plain watch', async () => {
    truth.put('a')
    truth.fault = ({ query }, response) => {
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
    truth.put('a')
    truth.cutAfter = 200
    const history = recordHistory<ConfigMap>()
    inform({ watchList: true })
    informer.addHandler(history.handler)
    truth.fault = ({ query }, response) => {
      if (query.get('watch') === 'true') return false
      answerJson(response, 500, failure(500, 'InternalError'))
      return true
    }
    informer.start()
    const wait = informer.waitForSync({ timeoutMs: 60 })
    await expect(wait).rejects.toBeInstanceOf(InformerTimeoutError)
    expect(informer.hasSynced()).toBe(false)
    expect(history.lines).toEqual([])
  })
})

describe('an informer goes on', () => {
  test('where it was, when a watch ends in order', async () => {
    truth.put('a')
    const history = await start()
    truth.put('b')
    await converged()
    truth.endWatches()
    truth.put('c')
    await converged()
    expect(history.contradictions).toEqual([])
    expect(requests()).toEqual(['stream now', 'watch 102'])
    expect(informer.stats().replaces).toBe(1)
  })

  test('after the last bookmark, which no handler hears of', async () => {
    truth.put('a')
    const history = await start()
    truth.bookmark()
    truth.endWatches()
    await vi.waitFor(() => expect(truth.watching).toBe(1), 60_000)
    expect(history.lines).toEqual(['add a'])
    expect(requests().at(-1)).toBe('watch 101')
  })

  test.each([
    {
      because: 'the server says so in the stream',
      fault: undefined,
    },
    {
      because: 'the server says so at once',
      fault: (rv: string) => rv === '102',
    },
  ])('with a new state when the old one has expired: $because', async ({ fault }) => {
    truth.put('a')
    truth.put('b')
    const history = await start()
    if (fault !== undefined) {
      truth.fault = ({ query }, response) => {
        const rv = query.get('resourceVersion') ?? ''
        if (query.get('sendInitialEvents') === 'true' || !fault(rv)) return false
        answerJson(response, 410, failure(410, 'Expired'))
        return true
      }
    }
    truth.endWatches()
    truth.remove('a')
    truth.remove('b')
    truth.put('b')
    truth.put('c')
    truth.compact()
    await converged()
    expect(history.contradictions).toEqual([])
    expect(history.lines.slice(2).sort()).toEqual(['add b', 'add c', 'delete a?', 'delete b?'])
    expect(history.lines.indexOf('delete b?')).toBeLessThan(history.lines.lastIndexOf('add b'))
  })

  test('with the state as of now when the server has not come that far', async () => {
    truth.put('a')
    truth.watchList = false
    await start()
    let refused = 0
    truth.fault = ({ query }, response) => {
      if ((query.get('resourceVersion') ?? '') === '') return false
      if (refused++ > 2) return false
      const causes = [{ reason: 'ResourceVersionTooLarge' }]
      answerJson(response, 504, failure(504, 'Timeout', { causes }))
      return true
    }
    truth.endWatches()
    truth.put('b')
    await converged()
    expect(requests()).toContain('list now')
  })

  test.each([
    { because: 'refused for now', code: 429, reason: 'TooManyRequests' },
    { because: 'unavailable', code: 503, reason: 'ServiceUnavailable' },
    { because: 'broken inside', code: 500, reason: 'InternalError' },
    { because: 'not allowed for a while', code: 403, reason: 'Forbidden' },
  ])('without a new list when a watch is $because', async ({ code, reason }) => {
    truth.put('a')
    await start()
    let left = 4
    truth.fault = (_, response) => {
      if (left-- <= 0) return false
      answerJson(response, code, failure(code, reason))
      return true
    }
    truth.endWatches()
    truth.put('b')
    await converged()
    expect(informer.stats().replaces).toBe(1)
    expect(new Set(requests().slice(1))).toEqual(new Set(['watch 101']))
  })

  test.each([
    { because: '410', code: 410, reason: 'Expired', headers: {} },
    { because: '429', code: 429, reason: 'TooManyRequests', headers: { 'retry-after': '0' } },
  ])('through a storm of $because', async ({ code, reason, headers }) => {
    truth.put('gone')
    const history = await start()
    let left = 60
    truth.fault = (_, response) => {
      if (left-- <= 0) return false
      answerJson(response, code, failure(code, reason), headers)
      return true
    }
    truth.endWatches()
    truth.remove('gone')
    truth.put('new')
    await converged()
    expect(left).toBeLessThanOrEqual(0)
    expect(history.contradictions).toEqual([])
    expect([...history.believed.keys()]).toEqual(['team/new'])
  })

  test('when one request in twenty fails, whichever it is', async () => {
    truth.watchList = false
    let asked = 0
    truth.fault = (_, response) => {
      if (++asked % 20 !== 10) return false
      if (asked % 40 === 10) response.destroy()
      else answerJson(response, 500, failure(500, 'InternalError'))
      return true
    }
    for (let n = 0; n < 50; n++) truth.put(`object-${n}`)
    const history = await start({ pageSize: 2 })
    for (let n = 0; n < 50; n++) {
      truth.remove(`object-${n}`)
      truth.put(`new-${n}`)
      if (n % 5 === 0) truth.endWatches()
      if (n % 17 === 0) truth.compact()
      await new Promise(setImmediate)
    }
    await converged()
    expect(history.contradictions).toEqual([])
  })

  test('with a new state when the server talks nonsense', async () => {
    truth.put('a')
    const history = await start()
    let left = 1
    truth.fault = (_, response) => {
      if (left-- <= 0) return false
      response.end('{"type":"ADDED","object":{"metadata":{}}}\nnonsense\n')
      return true
    }
    truth.endWatches()
    truth.remove('a')
    truth.put('b')
    await converged()
    expect(informer.stats().replaces).toBe(2)
    expect(history.contradictions).toEqual([])
  })

  test('when a type of event is unknown, without it', async () => {
    const errors: unknown[] = []
    const history = await start({ onError: (error) => errors.push(error) })
    let left = 1
    truth.fault = (_, response) => {
      if (left-- <= 0) return false
      const object = {
        metadata: { name: 'x', namespace: 'team', uid: 'u', resourceVersion: '500' },
      }
      response.write('{"type":"RENAMED","object":{}}\n\n  \n')
      response.end(`${JSON.stringify({ type: 'ADDED', object })}\n`)
      return true
    }
    truth.endWatches()
    await vi.waitFor(() => expect(history.lines).toEqual(['add x']), 60_000)
    expect(String(errors[0])).toContain('RENAMED')
  })

  test('when the server hangs', async () => {
    truth.put('a')
    await start({ watchSeconds: 0.01, idleSlackMs: 300 })
    await vi.waitFor(() => expect(requests().length).toBeGreaterThan(2), 60_000)
    truth.put('b')
    await converged()
    expect(informer.stats().replaces).toBe(1)
  })

  test('when the server is away for a while', async () => {
    truth.put('a')
    const history = await start()
    truth.fault = (_, response) => {
      response.destroy()
      return true
    }
    truth.server.cutAll()
    truth.remove('a')
    truth.put('b')
    await new Promise((resolve) => setTimeout(resolve, 50))
    truth.fault = undefined
    await converged()
    expect(history.lines).toEqual(['add a', 'delete a', 'add b'])
  })

  test('no faster than it should when watches end at once', async () => {
    const waits: number[] = []
    const clock = {
      now: () => 0,
      random: () => 0,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          waits.push(ms)
          signal?.addEventListener('abort', () => reject(signal.reason))
          if (waits.length < 8) setImmediate(resolve)
        }),
    }
    client = createKubeClient({ server: truth.server.url, namespace: 'team' }, { clock })
    truth.fault = ({ query }, response) => {
      if (query.get('sendInitialEvents') === 'true') return false
      response.end()
      return true
    }
    await start({ backoff: {} })
    truth.endWatches()
    await vi.waitFor(() => expect(waits).toHaveLength(8), 60_000)
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
  })
})

describe('handlers', () => {
  test('who come late are told what is there', async () => {
    truth.put('a')
    truth.put('b')
    await start()
    const heard: string[] = []
    const registration = informer.addHandler({
      onAdd: ({ metadata }, { isInInitialList }) =>
        heard.push(`${metadata.name} ${isInInitialList}`),
    })
    expect(registration.hasSynced()).toBe(true)
    expect(heard).toEqual(['a true', 'b true'])
    truth.put('c')
    await vi.waitFor(() => expect(heard).toEqual(['a true', 'b true', 'c false']), 60_000)
    registration.remove()
    truth.put('d')
    await converged()
    expect(heard).toHaveLength(3)
  })

  test('who come early have synced when the initial list was delivered', async () => {
    truth.put('a')
    inform()
    const seen: boolean[] = []
    const registration = informer.addHandler({ onAdd: () => seen.push(registration.hasSynced()) })
    expect(registration.hasSynced()).toBe(false)
    informer.start()
    await informer.waitForSync()
    expect(seen).toEqual([false])
    expect(registration.hasSynced()).toBe(true)
  })

  test('who fail harm nobody else', async () => {
    truth.put('a')
    const errors: string[] = []
    inform({ onError: (error, action) => errors.push(`${action}: ${error}`) })
    informer.addHandler({
      onAdd: () => {
        throw new Error('oh')
      },
    })
    const history = recordHistory<ConfigMap>()
    informer.addHandler(history.handler)
    informer.start()
    await informer.waitForSync()
    expect(history.lines).toEqual(['add a'])
    expect(errors).toEqual(['handler: Error: oh'])
  })

  test('who register in the middle of a delivery hear everything once', async () => {
    truth.put('a')
    truth.put('b')
    inform()
    const history = recordHistory<ConfigMap>()
    let registered = false
    informer.addHandler({
      onAdd: () => {
        if (!registered) informer.addHandler(history.handler)
        registered = true
      },
    })
    informer.start()
    await informer.waitForSync()
    expect(history.lines).toEqual(['add a', 'add b'])
  })

  test('the store already has what they hear of', async () => {
    truth.put('a')
    const seen: boolean[] = []
    inform()
    informer.addHandler({
      onAdd: ({ metadata }) => seen.push(informer.store.get(metadata) !== undefined),
      onDelete: ({ metadata }) => seen.push(informer.store.get(metadata) === undefined),
    })
    informer.start()
    await informer.waitForSync()
    truth.remove('a')
    await vi.waitFor(() => expect(seen).toEqual([true, true]), 60_000)
  })

  test('hear everything again at a resync, without a request', async () => {
    truth.put('a')
    const waits: number[] = []
    let wake = (): void => undefined
    const clock = {
      now: () => Date.now(),
      random: () => 0.5,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          waits.push(ms)
          wake = resolve
          signal?.addEventListener('abort', () => reject(signal.reason))
        }),
    }
    client = createKubeClient({ server: truth.server.url, namespace: 'team' }, { clock })
    const history = await start({ resyncMs: 10 })
    const asked = truth.server.requests.length
    wake()
    await vi.waitFor(() => expect(history.lines).toEqual(['add a', 'update a']), 60_000)
    expect(waits[0]).toBe(1000)
    expect(truth.server.requests).toHaveLength(asked)
  })
})

describe('reading', () => {
  test('objects are lean, shared and cannot be changed', async () => {
    truth.put('a')
    await start({ transform: (object) => ({ ...object, data: { only: 'this' } }) })
    const object = informer.store.get({ namespace: 'team', name: 'a' })
    expect(object?.data).toEqual({ only: 'this' })
    expect(object).toBe(informer.store.get('team/a'))
    expect(() => Object.assign(object?.metadata ?? {}, { name: 'b' })).toThrow(TypeError)
  })

  test('one’s own writes can be waited for', async () => {
    await start()
    truth.put('a')
    const wait = informer.waitForRevision(String(truth.revision), { timeoutMs: 60_000 })
    await wait
    expect(names()).toEqual(['a'])
    await informer.waitForRevision('50')
    const never = informer.waitForRevision('99999', { timeoutMs: 20 })
    await expect(never).rejects.toBeInstanceOf(InformerTimeoutError)
    const controller = new AbortController()
    const aborted = informer.waitForRevision('99999', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
  })

  test('memory is reported', async () => {
    for (let n = 0; n < 1000; n++) truth.put(`object-${n}`, { text: 'x'.repeat(500) })
    await start()
    const { objects, bytes, bytesPerObject } = informer.stats()
    expect(objects).toBe(1000)
    expect(bytesPerObject).toBeGreaterThan(100)
    expect(bytes).toBe(bytesPerObject * objects)
  })

  test('indexes follow the objects', async () => {
    truth.put('a')
    await start({
      indexers: { [OWNER_INDEX]: byOwner, length: ({ data }) => Object.keys(data ?? {}) },
    })
    expect(informer.store.byIndex('length', 'x')).toEqual([])
    truth.put('a', { x: '1', y: '2' })
    await converged()
    expect(informer.store.byIndex('length', 'x')).toHaveLength(1)
    expect(informer.store.byIndex('namespace', 'team')).toHaveLength(1)
    expect(() => informer.store.byIndex('nothing', 'x')).toThrow('no index called nothing')
  })

  test('nothing happens any more after it was stopped', async () => {
    truth.put('a')
    const history = await start()
    await informer.stop()
    truth.put('b')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(history.lines).toEqual(['add a'])
    await vi.waitFor(() => expect(truth.watching).toBe(0), 60_000)
    await expect(informer.waitForRevision('99999')).rejects.toThrow()
  })
})
