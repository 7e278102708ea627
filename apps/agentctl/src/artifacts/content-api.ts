import type { IncomingMessage } from 'node:http'
import type { Connection, ObjectKey } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { openServer, type ServerValues } from '../server-api/open-server.ts'

/** Reads the content of an artifact through the HTTP API. */
export type ReadContent = (artifact: ObjectKey) => Promise<IncomingMessage>

export async function openContentApi(
  connection: Connection,
  values: ServerValues,
  context: CommandContext,
): Promise<ReadContent> {
  const api = await openServer(connection, values, context)
  return async ({ namespace, name }) => {
    const answer = await api.fetch(`/v1/artifacts/${namespace}/${name}/content`)
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
