import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { LocalApiAccess } from './find-local-api.ts'

/** Gets what the API of the local platform has at a path, whatever its status. */
export function fetchLocal(
  { url, authorization, ca }: LocalApiAccess,
  path: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(
      `${url}${path}`,
      { headers: { authorization }, signal, agent: false, ...(ca !== undefined && { ca }) },
      resolve,
    )
      .on('error', reject)
      .end()
  })
}
