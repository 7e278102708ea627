import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { CommandFailure } from '../cli/command-failure.ts'
import type { LocalApiAccess } from '../local-api/find-local-api.ts'

/** Whether the API serves the files of the console. */
export async function hasConsole(api: LocalApiAccess, signal: AbortSignal): Promise<boolean> {
  const answer = await send(api, 'GET', '/index.html', signal)
  answer.resume()
  return answer.statusCode === 200
}

/** A code with which a browser signs in as the user of the kubeconfig. */
export async function createCode(api: LocalApiAccess, signal: AbortSignal): Promise<string> {
  const { code } = (await json(api, 'POST', '/v1/session/codes', signal)) as { code: string }
  return code
}

/** Ends all sessions of the user of the kubeconfig. Resolves to how many there were. */
export async function endSessions(api: LocalApiAccess, signal: AbortSignal): Promise<number> {
  const { ended } = (await json(api, 'DELETE', '/v1/session', signal)) as { ended: number }
  return ended
}

async function json(
  api: LocalApiAccess,
  method: string,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await send(api, method, path, signal)
  const body = JSON.parse(await text(answer)) as { readonly error?: string }
  const { statusCode: status = 0 } = answer
  if (status >= 200 && status < 300) return body
  throw new CommandFailure(`the API refused the request: ${body.error ?? `status ${status}`}`)
}

function send(
  { url, authorization, ca }: LocalApiAccess,
  method: string,
  path: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const tls = ca === undefined ? {} : { ca }
    request(
      `${url}${path}`,
      { method, headers: { authorization }, signal, agent: false, ...tls },
      resolve,
    )
      .on('error', reject)
      .end()
  })
}
