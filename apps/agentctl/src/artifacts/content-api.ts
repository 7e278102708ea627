import type { IncomingMessage } from 'node:http'
import type { Connection, ObjectKey } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { fetchLocal } from '../local-api/fetch-local.ts'
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
  return async ({ namespace, name }, signal) => {
    const answer = await fetchLocal(api, `/v1/artifacts/${namespace}/${name}/content`, signal)
    if (answer.statusCode === 200) return answer
    answer.resume()
    throw refused(name, answer.statusCode ?? 0)
  }
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
