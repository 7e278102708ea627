import type { ClientRequest, IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { get as getSecure } from 'node:https'

export const httpAnswers = (url: string): Promise<boolean> => is200((done) => get(url, done))

/** One request on a connection of its own: a pooled one would outlive a restart of the server. */
export const httpsReady = (url: string, ca: string, token: string): Promise<boolean> =>
  is200((done) =>
    getSecure(url, { ca, agent: false, headers: { authorization: `Bearer ${token}` } }, done),
  )

const is200 = (
  request: (done: (response: IncomingMessage) => void) => ClientRequest,
): Promise<boolean> =>
  new Promise((resolve) => {
    const sent = request((response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    sent.setTimeout(10_000, () => sent.destroy(new Error('no answer')))
    sent.on('error', () => resolve(false))
  })
