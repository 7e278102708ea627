import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Connection, ObjectKey } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { findLocalApi } from '../local-api/find-local-api.ts'

/** Reads the content of an artifact through the HTTP API. */
export type ReadContent = (artifact: ObjectKey, signal: AbortSignal) => Promise<IncomingMessage>

export async function openContentApi(
  connection: Connection,
  values: ClusterValues,
  context: CommandContext,
): Promise<ReadContent> {
  const api = await findLocalApi(connection, values, context)
  if (api === undefined) {
    throw new CommandFailure('content can be downloaded from a platform on this machine only', {
      advice: ['On a cluster: GET /v1/artifacts/NAMESPACE/NAME/content of its HTTP API'],
    })
  }
  const { url, authorization, ca } = api
  return ({ namespace, name }, signal) =>
    new Promise((resolve, reject) => {
      request(
        `${url}/v1/artifacts/${namespace}/${name}/content`,
        { headers: { authorization }, signal, agent: false, ...(ca !== undefined && { ca }) },
        (answer) => {
          if (answer.statusCode === 200) resolve(answer)
          else answer.resume().on('end', () => reject(refused(name, answer.statusCode ?? 0)))
        },
      )
        .on('error', reject)
        .end()
    })
}

const reasons: Readonly<Record<number, string>> = {
  403: 'you may not get it',
  404: 'its content is not in the store',
  410: 'it has expired',
}

function refused(name: string, status: number): CommandFailure {
  const reason = reasons[status] ?? `the API answers with status ${status}`
  return new CommandFailure(`artifact ${name} cannot be downloaded: ${reason}`)
}
