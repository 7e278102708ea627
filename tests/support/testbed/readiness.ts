import type { ClientRequest, IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { get as getSecure } from 'node:https'

export function httpAnswers(url: string): Promise<boolean> {
  return is200((done) => get(url, done))
}

/** Sends one request on a new connection: a pooled one would outlive a restart of the server. */
export function httpsReady(url: string, ca: string, token: string): Promise<boolean> {
  return is200((done) =>
    getSecure(url, { ca, agent: false, headers: { authorization: `Bearer ${token}` } }, done),
  )
}

function is200(
  request: (done: (response: IncomingMessage) => void) => ClientRequest,
): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request((response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    sent.setTimeout(10_000, () => sent.destroy(new Error('no answer')))
    sent.on('error', () => resolve(false))
  })
}
