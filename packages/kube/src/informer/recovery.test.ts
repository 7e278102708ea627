import { describe, expect, test, vi } from 'vitest'
import { createKubeClient } from '../client/kube-client.ts'
import { systemClock } from '../clock/clock.ts'
import { informerHarness } from '../testing/informer-harness.ts'
import { answerJson, failure } from '../testing/scripted-server.ts'

vi.setConfig({ testTimeout: 180_000 })

const harness = informerHarness()
const { converged, requests, start } = harness

describe('an informer recovers', () => {
  test('from the last version, if a watch ends normally', async () => {
    harness.truth.put('a')
    const history = await start()
    harness.truth.put('b')
    await converged()
    harness.truth.endWatches()
    harness.truth.put('c')
    await converged()
    expect(history.contradictions).toEqual([])
    expect(requests()).toEqual(['stream now', 'watch 102'])
    expect(harness.informer.stats().replaces).toBe(1)
  })

  test('from the last bookmark, which is not delivered to handlers', async () => {
    harness.truth.put('a')
    const history = await start()
    harness.truth.bookmark()
    harness.truth.endWatches()
    await vi.waitFor(() => expect(harness.truth.watching).toBe(1), 60_000)
    expect(history.lines).toEqual(['add a'])
    expect(requests().at(-1)).toBe('watch 101')
  })

  test.each([
    {
      because: 'the server reports it in the stream',
      fault: undefined,
    },
    {
      because: 'the server rejects the watch',
      fault: (rv: string) => rv === '102',
    },
  ])('with a new list if the version has expired: $because', async ({ fault }) => {
    harness.truth.put('a')
    harness.truth.put('b')
    const history = await start()
    if (fault !== undefined) {
      harness.truth.fault = ({ query }, response) => {
        const rv = query.get('resourceVersion') ?? ''
        if (query.get('sendInitialEvents') === 'true' || !fault(rv)) return false
        answerJson(response, 410, failure(410, 'Expired'))
        return true
      }
    }
    harness.truth.endWatches()
    harness.truth.remove('a')
    harness.truth.remove('b')
    harness.truth.put('b')
    harness.truth.put('c')
    harness.truth.compact()
    await converged()
    expect(history.contradictions).toEqual([])
    expect(history.lines.slice(2).sort()).toEqual(['add b', 'add c', 'delete a?', 'delete b?'])
    expect(history.lines.indexOf('delete b?')).toBeLessThan(history.lines.lastIndexOf('add b'))
  })

  test('with a current list if the version is too large for the server', async () => {
    harness.truth.put('a')
    harness.truth.watchList = false
    await start()
    let refused = 0
    harness.truth.fault = ({ query }, response) => {
      if ((query.get('resourceVersion') ?? '') === '') return false
      if (refused++ > 2) return false
      const causes = [{ reason: 'ResourceVersionTooLarge' }]
      answerJson(response, 504, failure(504, 'Timeout', { causes }))
      return true
    }
    harness.truth.endWatches()
    harness.truth.put('b')
    await converged()
    expect(requests()).toContain('list now')
  })

  test.each([
    { because: 'throttled', code: 429, reason: 'TooManyRequests' },
    { because: 'unavailable', code: 503, reason: 'ServiceUnavailable' },
    { because: 'answered with an internal error', code: 500, reason: 'InternalError' },
    { because: 'temporarily forbidden', code: 403, reason: 'Forbidden' },
  ])('without a new list if a watch is $because', async ({ code, reason }) => {
    harness.truth.put('a')
    await start()
    let left = 4
    harness.truth.fault = (_, response) => {
      if (left-- <= 0) return false
      answerJson(response, code, failure(code, reason))
      return true
    }
    harness.truth.endWatches()
    harness.truth.put('b')
    await converged()
    expect(harness.informer.stats().replaces).toBe(1)
    expect(new Set(requests().slice(1))).toEqual(new Set(['watch 101']))
  })

  test.each([
    { because: '410', code: 410, reason: 'Expired', headers: {} },
    { because: '429', code: 429, reason: 'TooManyRequests', headers: { 'retry-after': '0' } },
  ])('from a burst of $because responses', async ({ code, reason, headers }) => {
    harness.truth.put('gone')
    const history = await start()
    let left = 60
    harness.truth.fault = (_, response) => {
      if (left-- <= 0) return false
      answerJson(response, code, failure(code, reason), headers)
      return true
    }
    harness.truth.endWatches()
    harness.truth.remove('gone')
    harness.truth.put('new')
    await converged()
    expect(left).toBeLessThanOrEqual(0)
    expect(history.contradictions).toEqual([])
    expect([...history.believed.keys()]).toEqual(['team/new'])
  })

  test('if one request in twenty fails', async () => {
    harness.truth.watchList = false
    let requested = 0
    harness.truth.fault = (_, response) => {
      if (++requested % 20 !== 10) return false
      if (requested % 40 === 10) response.destroy()
      else answerJson(response, 500, failure(500, 'InternalError'))
      return true
    }
    for (let n = 0; n < 50; n++) harness.truth.put(`object-${n}`)
    const history = await start({ pageSize: 2 })
    for (let n = 0; n < 50; n++) {
      harness.truth.remove(`object-${n}`)
      harness.truth.put(`new-${n}`)
      if (n % 5 === 0) harness.truth.endWatches()
      if (n % 17 === 0) harness.truth.compact()
      await new Promise(setImmediate)
    }
    await converged()
    expect(history.contradictions).toEqual([])
  })

  test('with a new list if the server sends invalid events', async () => {
    harness.truth.put('a')
    const history = await start()
    let left = 1
    harness.truth.fault = (_, response) => {
      if (left-- <= 0) return false
      response.end('{"type":"ADDED","object":{"metadata":{}}}\nnonsense\n')
      return true
    }
    harness.truth.endWatches()
    harness.truth.remove('a')
    harness.truth.put('b')
    await converged()
    expect(harness.informer.stats().replaces).toBe(2)
    expect(history.contradictions).toEqual([])
  })

  test('from an unknown type of event by ignoring it', async () => {
    const errors: unknown[] = []
    const history = await start({ onError: (error) => errors.push(error) })
    let left = 1
    harness.truth.fault = (_, response) => {
      if (left-- <= 0) return false
      const object = {
        metadata: { name: 'x', namespace: 'team', uid: 'u', resourceVersion: '500' },
      }
      response.write('{"type":"RENAMED","object":{}}\n\n  \n')
      response.end(`${JSON.stringify({ type: 'ADDED', object })}\n`)
      return true
    }
    harness.truth.endWatches()
    await vi.waitFor(() => expect(history.lines).toEqual(['add x']), 60_000)
    expect(String(errors[0])).toContain('RENAMED')
  })

  test('if the server hangs', async () => {
    harness.truth.put('a')
    await start({ watchSeconds: 0.01, idleSlackMs: 300 })
    await vi.waitFor(() => expect(requests().length).toBeGreaterThan(2), 60_000)
    harness.truth.put('b')
    await converged()
    expect(harness.informer.stats().replaces).toBe(1)
  })

  test('if the server is unavailable for a while', async () => {
    harness.truth.put('a')
    const history = await start()
    let refused = 0
    harness.truth.fault = (_, response) => {
      refused += 1
      response.destroy()
      return true
    }
    harness.truth.server.cutAll()
    harness.truth.remove('a')
    harness.truth.put('b')
    await vi.waitFor(() => expect(refused).toBeGreaterThan(2), 60_000)
    harness.truth.fault = undefined
    await converged()
    expect(history.lines).toEqual(['add a', 'delete a', 'add b'])
  })

  test('with backoff if watches end at once', async () => {
    const waits: number[] = []
    const clock = {
      ...systemClock,
      elapsed: () => 0,
      after: (ms: number, action: () => void) => {
        waits.push(ms)
        if (waits.length < 8) setImmediate(action)
        return () => undefined
      },
    }
    harness.client = createKubeClient(
      { server: harness.truth.server.url, namespace: 'team' },
      { clock, random: () => 0 },
    )
    harness.truth.fault = ({ query }, response) => {
      if (query.get('sendInitialEvents') === 'true') return false
      response.end()
      return true
    }
    await start({ backoff: {} })
    harness.truth.endWatches()
    await vi.waitFor(() => expect(waits).toHaveLength(8), 60_000)
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
  })
})
