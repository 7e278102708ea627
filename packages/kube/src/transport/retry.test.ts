import { describe, expect, test } from 'vitest'
import type { KubeClient } from '../client/kube-client.ts'
import { systemClock } from '../clock/clock.ts'
import { ConfigMapKind } from '../kind/builtin-kinds.ts'
import { key, object, serve } from '../testing/scripted-client.ts'
import { answerJson, failure, type Script } from '../testing/scripted-server.ts'
import { isTooManyRequests, type KubeError } from './kube-error.ts'

describe('a request is retried', () => {
  const failing = (times: number, fail: Script): Script => {
    let left = times
    return (request, response) =>
      left-- > 0 ? fail(request, response) : answerJson(response, 200, object)
  }
  const with429: Script = (_, response) =>
    answerJson(response, 429, failure(429, 'TooManyRequests'), { 'retry-after': '0' })
  const with503: Script = (_, response) =>
    answerJson(response, 503, failure(503, 'ServiceUnavailable'))
  const with500: Script = (_, response) => answerJson(response, 500, failure(500, 'InternalError'))
  const hangUp: Script = (_, response) => void response.destroy()
  const inTheMiddle: Script = (_, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"kind":', () => response.destroy())
  }
  const get = (c: KubeClient) => c.get(ConfigMapKind, key)
  const create = (c: KubeClient) => c.create(ConfigMapKind, object)
  const merge = (c: KubeClient) => c.patch(ConfigMapKind, key, { type: 'merge', body: {} })
  const json = (c: KubeClient) => c.patch(ConfigMapKind, key, { type: 'json', body: [] })

  test.each([
    { because: 'after 429', run: get, fail: with429, sent: 4 },
    {
      because: 'after 429, also a create: it had no effect',
      run: create,
      fail: with429,
      sent: 4,
    },
    { because: 'after 503', run: get, fail: with503, sent: 4 },
    { because: 'after 503, if it is an idempotent patch', run: merge, fail: with503, sent: 4 },
    {
      because: 'but not after 503 for a create, which may have taken effect',
      run: create,
      fail: with503,
      sent: 1,
    },
    { because: 'but not after 503 for a patch that may append', run: json, fail: with503, sent: 1 },
    { because: 'but not after 500, which a retry does not fix', run: get, fail: with500, sent: 1 },
    { because: 'after the connection broke', run: get, fail: hangUp, sent: 4 },
    {
      because: 'after it broke in the middle of the response',
      run: get,
      fail: inTheMiddle,
      sent: 4,
    },
    { because: 'but not a create whose response was lost', run: create, fail: hangUp, sent: 1 },
  ])('$because', async ({ run, fail, sent }) => {
    const { client, server } = await serve(failing(3, fail))
    const outcome = await run(client).then(
      () => 'ok',
      () => 'failed',
    )
    expect(server.requests).toHaveLength(sent)
    expect(outcome).toBe(sent === 4 ? 'ok' : 'failed')
  })

  test('at most ten times', async () => {
    const { client, server } = await serve(with429)
    await expect(get(client)).rejects.toSatisfy(isTooManyRequests)
    expect(server.requests).toHaveLength(11)
  })

  test('not before the time that the server requested', async () => {
    const slept: number[] = []
    const clock = {
      ...systemClock,
      after: (ms: number, action: () => void) => {
        slept.push(ms)
        return systemClock.after(0, action)
      },
    }
    const script: Script = (_, response) =>
      answerJson(response, 429, failure(429, 'TooManyRequests'), { 'retry-after': '3' })
    const { client } = await serve(failing(2, script), {
      clock,
      random: () => 0,
      retry: { baseDelayMs: 100, maxDelayMs: 10_000 },
    })
    await get(client)
    expect(slept).toEqual([3050, 3100])
  })

  test('not at all if the server requests too long a delay', async () => {
    const script: Script = (_, response) =>
      answerJson(response, 503, failure(503, 'ServiceUnavailable'), { 'retry-after': '3600' })
    const { client, server } = await serve(script)
    const error = await get(client).catch((caught: unknown) => caught)
    expect((error as KubeError).retryAfterMs).toBe(3_600_000)
    expect(server.requests).toHaveLength(1)
  })
})
