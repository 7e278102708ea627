import { describe, expect, test, vi } from 'vitest'
import { createKubeClient } from '../client/kube-client.ts'
import { informerBench } from '../testing/informer-bench.ts'
import { answerJson, failure } from '../testing/scripted-server.ts'

vi.setConfig({ testTimeout: 180_000 })

const bench = informerBench()
const { converged, requests, start } = bench

describe('an informer goes on', () => {
  test('where it was, when a watch ends in order', async () => {
    bench.truth.put('a')
    const history = await start()
    bench.truth.put('b')
    await converged()
    bench.truth.endWatches()
    bench.truth.put('c')
    await converged()
    expect(history.contradictions).toEqual([])
    expect(requests()).toEqual(['stream now', 'watch 102'])
    expect(bench.informer.stats().replaces).toBe(1)
  })

  test('after the last bookmark, which no handler hears of', async () => {
    bench.truth.put('a')
    const history = await start()
    bench.truth.bookmark()
    bench.truth.endWatches()
    await vi.waitFor(() => expect(bench.truth.watching).toBe(1), 60_000)
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
    bench.truth.put('a')
    bench.truth.put('b')
    const history = await start()
    if (fault !== undefined) {
      bench.truth.fault = ({ query }, response) => {
        const rv = query.get('resourceVersion') ?? ''
        if (query.get('sendInitialEvents') === 'true' || !fault(rv)) return false
        answerJson(response, 410, failure(410, 'Expired'))
        return true
      }
    }
    bench.truth.endWatches()
    bench.truth.remove('a')
    bench.truth.remove('b')
    bench.truth.put('b')
    bench.truth.put('c')
    bench.truth.compact()
    await converged()
    expect(history.contradictions).toEqual([])
    expect(history.lines.slice(2).sort()).toEqual(['add b', 'add c', 'delete a?', 'delete b?'])
    expect(history.lines.indexOf('delete b?')).toBeLessThan(history.lines.lastIndexOf('add b'))
  })

  test('with the state as of now when the server has not come that far', async () => {
    bench.truth.put('a')
    bench.truth.watchList = false
    await start()
    let refused = 0
    bench.truth.fault = ({ query }, response) => {
      if ((query.get('resourceVersion') ?? '') === '') return false
      if (refused++ > 2) return false
      const causes = [{ reason: 'ResourceVersionTooLarge' }]
      answerJson(response, 504, failure(504, 'Timeout', { causes }))
      return true
    }
    bench.truth.endWatches()
    bench.truth.put('b')
    await converged()
    expect(requests()).toContain('list now')
  })

  test.each([
    { because: 'refused for now', code: 429, reason: 'TooManyRequests' },
    { because: 'unavailable', code: 503, reason: 'ServiceUnavailable' },
    { because: 'broken inside', code: 500, reason: 'InternalError' },
    { because: 'not allowed for a while', code: 403, reason: 'Forbidden' },
  ])('without a new list when a watch is $because', async ({ code, reason }) => {
    bench.truth.put('a')
    await start()
    let left = 4
    bench.truth.fault = (_, response) => {
      if (left-- <= 0) return false
      answerJson(response, code, failure(code, reason))
      return true
    }
    bench.truth.endWatches()
    bench.truth.put('b')
    await converged()
    expect(bench.informer.stats().replaces).toBe(1)
    expect(new Set(requests().slice(1))).toEqual(new Set(['watch 101']))
  })

  test.each([
    { because: '410', code: 410, reason: 'Expired', headers: {} },
    { because: '429', code: 429, reason: 'TooManyRequests', headers: { 'retry-after': '0' } },
  ])('through a storm of $because', async ({ code, reason, headers }) => {
    bench.truth.put('gone')
    const history = await start()
    let left = 60
    bench.truth.fault = (_, response) => {
      if (left-- <= 0) return false
      answerJson(response, code, failure(code, reason), headers)
      return true
    }
    bench.truth.endWatches()
    bench.truth.remove('gone')
    bench.truth.put('new')
    await converged()
    expect(left).toBeLessThanOrEqual(0)
    expect(history.contradictions).toEqual([])
    expect([...history.believed.keys()]).toEqual(['team/new'])
  })

  test('when one request in twenty fails, whichever it is', async () => {
    bench.truth.watchList = false
    let asked = 0
    bench.truth.fault = (_, response) => {
      if (++asked % 20 !== 10) return false
      if (asked % 40 === 10) response.destroy()
      else answerJson(response, 500, failure(500, 'InternalError'))
      return true
    }
    for (let n = 0; n < 50; n++) bench.truth.put(`object-${n}`)
    const history = await start({ pageSize: 2 })
    for (let n = 0; n < 50; n++) {
      bench.truth.remove(`object-${n}`)
      bench.truth.put(`new-${n}`)
      if (n % 5 === 0) bench.truth.endWatches()
      if (n % 17 === 0) bench.truth.compact()
      await new Promise(setImmediate)
    }
    await converged()
    expect(history.contradictions).toEqual([])
  })

  test('with a new state when the server talks nonsense', async () => {
    bench.truth.put('a')
    const history = await start()
    let left = 1
    bench.truth.fault = (_, response) => {
      if (left-- <= 0) return false
      response.end('{"type":"ADDED","object":{"metadata":{}}}\nnonsense\n')
      return true
    }
    bench.truth.endWatches()
    bench.truth.remove('a')
    bench.truth.put('b')
    await converged()
    expect(bench.informer.stats().replaces).toBe(2)
    expect(history.contradictions).toEqual([])
  })

  test('when a type of event is unknown, without it', async () => {
    const errors: unknown[] = []
    const history = await start({ onError: (error) => errors.push(error) })
    let left = 1
    bench.truth.fault = (_, response) => {
      if (left-- <= 0) return false
      const object = {
        metadata: { name: 'x', namespace: 'team', uid: 'u', resourceVersion: '500' },
      }
      response.write('{"type":"RENAMED","object":{}}\n\n  \n')
      response.end(`${JSON.stringify({ type: 'ADDED', object })}\n`)
      return true
    }
    bench.truth.endWatches()
    await vi.waitFor(() => expect(history.lines).toEqual(['add x']), 60_000)
    expect(String(errors[0])).toContain('RENAMED')
  })

  test('when the server hangs', async () => {
    bench.truth.put('a')
    await start({ watchSeconds: 0.01, idleSlackMs: 300 })
    await vi.waitFor(() => expect(requests().length).toBeGreaterThan(2), 60_000)
    bench.truth.put('b')
    await converged()
    expect(bench.informer.stats().replaces).toBe(1)
  })

  test('when the server is away for a while', async () => {
    bench.truth.put('a')
    const history = await start()
    bench.truth.fault = (_, response) => {
      response.destroy()
      return true
    }
    bench.truth.server.cutAll()
    bench.truth.remove('a')
    bench.truth.put('b')
    await new Promise((resolve) => setTimeout(resolve, 50))
    bench.truth.fault = undefined
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
    bench.client = createKubeClient(
      { server: bench.truth.server.url, namespace: 'team' },
      { clock },
    )
    bench.truth.fault = ({ query }, response) => {
      if (query.get('sendInitialEvents') === 'true') return false
      response.end()
      return true
    }
    await start({ backoff: {} })
    bench.truth.endWatches()
    await vi.waitFor(() => expect(waits).toHaveLength(8), 60_000)
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
  })
})
