import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { embed } from './embed.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const vector: Answer = (_, response) => response.end('{"data":[{"embedding":[0.5,-1]}]}')

function status(code: number, headers = {}): Answer {
  return (_, response) => response.writeHead(code, headers).end('the secret answer')
}

/** Gives the answers one after the other, and the last again and again. */
async function serve(...answers: readonly Answer[]) {
  let requests = 0
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests, answers.length - 1)]
    requests += 1
    answer?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { api: { url: `http://127.0.0.1:${port}/v1/`, model: 'm' }, requests: () => requests }
}

describe('the embedding of a text', () => {
  test('is what the API answers, also if it is overloaded at first', async () => {
    const { api, requests } = await serve(status(429), vector)
    expect(await embed(api, 'text')).toEqual({ model: 'm', values: [0.5, -1] })
    expect(requests()).toBe(2)
  })

  test('is requested once if the API refuses', async () => {
    const { api, requests } = await serve(status(401))
    await expect(embed(api, 'text')).rejects.toThrow('answers with status 401')
    expect(requests()).toBe(1)
  })

  test('is not requested from where the API redirects to, which the token is not for', async () => {
    const other = await serve(vector)
    const { api } = await serve(status(307, { location: `${other.api.url}embeddings` }))
    await expect(embed({ ...api, token: 'secret' }, 'text')).rejects.toThrow('not reachable')
    expect(other.requests()).toBe(0)
  })

  test.each([
    ['no JSON', 'nonsense'],
    ['null', 'null'],
    ['no vector', '{"data":[]}'],
    ['an empty vector', '{"data":[{"embedding":[]}]}'],
    ['text', '{"data":[{"embedding":"0.5"}]}'],
    ['text in a vector', '{"data":[{"embedding":[1,"2"]}]}'],
    ['an infinite number', '{"data":[{"embedding":[1e999]}]}'],
    ['too many numbers', `{"data":[{"embedding":[${'1,'.repeat(16_000)}1]}]}`],
    ['an endless answer', ' '.repeat(5 * 1024 * 1024)],
  ])('is missing if the answer is %s', async (_, body) => {
    const { api } = await serve((_request, response) => response.end(body))
    await expect(embed(api, 'text')).rejects.toThrow('does not answer with a vector')
  })
})
