import { expect, onTestFinished, test } from 'vitest'
import { type Script, startModelServer } from './model-server.ts'

const usage = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 2 }

const apis = [
  { api: 'responses', path: '/v1/responses', body: { model: 'm', stream: true } },
  { api: 'chat-completions', path: '/v1/chat/completions', body: { model: 'm', stream: true } },
  { api: 'messages', path: '/v1/messages', body: { model: 'm', stream: true } },
  {
    api: 'gemini',
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: {},
    // In two pieces.
    shown: ['I lo', 'ok.'],
  },
]

async function start(script: Script) {
  const server = await startModelServer(script)
  onTestFinished(() => server.close())
  const post = (path: string, body: object) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body: JSON.stringify(body),
    })
  return { server, post }
}

test.each(apis)('$api streams text and calls, and counts usage', async (row) => {
  const { api, path, body, shown = ['I look.'] } = row
  const calls = [{ name: 'shell', arguments: { command: 'ls' } }]
  const { server, post } = await start(() => ({ text: 'I look.', calls, usage }))
  const streamed = await (await post(path, body)).text()
  for (const part of [...shown, 'shell', 'ls']) expect(streamed).toContain(part)
  expect(streamed).toMatch(/cache\w*":4/i)
  expect(server.usage()).toEqual(usage)
  expect(server.requests).toMatchObject([{ api, model: 'm', key: 'key', body }])
})

test.each(apis)('$api reports an error and when to try again', async ({ path, body }) => {
  const { server, post } = await start(() => ({
    status: 429,
    message: 'slow down',
    retryAfterSeconds: 7,
  }))
  const response = await post(path, body)
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('7')
  expect(await response.text()).toContain('slow down')
  expect(server.usage().inputTokens).toBe(0)
})

test.each(apis)('$api cuts a stream', async ({ path, body }) => {
  const { server, post } = await start(() => ({ text: 'never', usage, cutAfterEvents: 0 }))
  await expect(post(path, body).then((response) => response.text())).rejects.toThrow()
  expect(server.usage().inputTokens).toBe(0)
})

test('a stream that is cut has begun', async () => {
  const { post } = await start(() => ({ text: 'I look.', usage, cutAfterEvents: 2 }))
  const { path } = apis.find(({ api }) => api === 'gemini') ?? { path: '' }
  const { body } = await post(path, {})
  const read = async () => {
    let text = ''
    try {
      for await (const piece of body ?? []) text += Buffer.from(piece).toString('utf8')
      return 'whole'
    } catch {
      return text
    }
  }
  const begun = await read()
  expect(begun).toContain('ok.')
  expect(begun).not.toContain('finishReason')
})

test('an answer that is not streamed is cut, too, and is late if it is told to be', async () => {
  const answers = [
    { text: 'cut', usage, cutAfterEvents: 1 },
    { text: 'late', usage, pauseMs: 300 },
  ]
  const { post } = await start((_request, index) => answers[index] ?? { status: 500, message: '' })
  const ask = () => post('/v1/chat/completions', { model: 'm' })
  await expect(ask().then((response) => response.text())).rejects.toThrow()
  const before = performance.now()
  expect(await (await ask()).text()).toContain('late')
  expect(performance.now() - before).toBeGreaterThan(250)
})
