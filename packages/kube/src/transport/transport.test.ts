import { describe, expect, test } from 'vitest'
import { ConfigMapKind } from '../kind/builtin-kinds.ts'
import { key, object, serve } from '../testing/scripted-client.ts'
import { answerJson, failure, type Script } from '../testing/scripted-server.ts'
import { bearer } from './connection.ts'
import { isTimeout, isUnreachable } from './kube-error.ts'

describe('timeouts', () => {
  const silent: Script = () => undefined

  test('a server that does not answer times out', async () => {
    const { client, server } = await serve(silent)
    const options = { timeoutMs: 600, retries: 1 }
    await expect(client.get(ConfigMapKind, key, options)).rejects.toSatisfy(isTimeout)
    expect(server.requests).toHaveLength(2)
  })

  test('a server that stops in the middle of a response times out', async () => {
    const { client } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{')
    })
    const options = { timeoutMs: 50, retries: 0 }
    await expect(client.get(ConfigMapKind, key, options)).rejects.toSatisfy(isTimeout)
  })

  test('a server that is not running is unreachable', async () => {
    const { client, server } = await serve(silent)
    await server.stop()
    const options = { retries: 2 }
    await expect(client.get(ConfigMapKind, key, options)).rejects.toSatisfy(isUnreachable)
  })

  test.each([
    { because: 'before it is sent', after: undefined },
    { because: 'while it waits for a response', after: 20 },
  ])('a signal ends a call $because', async ({ after }) => {
    const { client } = await serve(silent)
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    if (after === undefined) controller.abort(reason)
    else setTimeout(() => controller.abort(reason), after)
    const { signal } = controller
    await expect(client.get(ConfigMapKind, key, { signal })).rejects.toBe(reason)
    await expect(client.watch(ConfigMapKind, { signal })).rejects.toBe(reason)
  })

  test('a signal ends the wait before a retry', async () => {
    const { client } = await serve(
      (_, response) => answerJson(response, 503, failure(503, 'ServiceUnavailable')),
      {
        retry: { baseDelayMs: 60_000, maxDelayMs: 60_000 },
      },
    )
    const signal = AbortSignal.timeout(30)
    await expect(client.get(ConfigMapKind, key, { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })
})

describe('credentials', () => {
  test('a token that was replaced is fetched once more on 401', async () => {
    let token = { authorization: bearer('old') }
    const credentials = {
      current: () => Promise.resolve(token),
      rejected: () => {
        token = { authorization: bearer('new') }
      },
    }
    const { client, server } = await serve(
      ({ headers }, response) =>
        headers.authorization === 'Bearer new'
          ? answerJson(response, 200, object)
          : answerJson(response, 401, failure(401, 'Unauthorized')),
      {},
      { credentials },
    )
    expect(await client.get(ConfigMapKind, key)).toEqual(object)
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer new',
    ])
  })

  test('a token that has not changed is not sent again after 401', async () => {
    const same = { authorization: bearer('wrong') }
    const credentials = { current: () => Promise.resolve(same), rejected: () => undefined }
    const { client, server } = await serve(
      (_, response) => answerJson(response, 401, failure(401, 'Unauthorized')),
      {},
      { credentials },
    )
    await expect(client.get(ConfigMapKind, key)).rejects.toMatchObject({ reason: 'Unauthorized' })
    expect(server.requests).toHaveLength(1)
  })

  test('another user can be impersonated', async () => {
    const { client, server } = await serve(
      (_, response) => answerJson(response, 200, object),
      {},
      {
        impersonate: { user: 'u', groups: ['g', 'h'], extra: { 'a/b': ['c'] } },
      },
    )
    await client.get(ConfigMapKind, key)
    expect(server.requests[0]?.headers).toMatchObject({
      'impersonate-user': 'u',
      'impersonate-group': 'g, h',
      'impersonate-extra-a%2fb': 'c',
    })
  })
})
