import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Connection, ObjectKey } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { findStateDir } from '../cluster/choose-kubeconfig.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { readRunningPlatform } from '../running-platform/platform-record.ts'

/** Reads the content of an artifact through the HTTP API. */
export type ReadContent = (artifact: ObjectKey, signal: AbortSignal) => Promise<IncomingMessage>

/**
 * The API of the local platform whose API server the connection is for. A token is sent to no other: the address of the
 * API of a cluster is not known here.
 */
export async function openContentApi(
  { server, tls, credentials }: Connection,
  values: ClusterValues,
  context: CommandContext,
): Promise<ReadContent> {
  const stateDir = await findStateDir(values, context)
  const platform = await readRunningPlatform(stateDir)
  const port = await readFile(join(stateDir, 'http-port'), 'utf8').catch(() => '')
  if (platform?.url !== server || !/^\d{1,5}\n$/.test(port)) {
    throw new CommandFailure('content can be downloaded from a platform on this machine only', {
      advice: ['On a cluster: GET /v1/artifacts/NAMESPACE/NAME/content of its HTTP API'],
    })
  }
  const { authorization } = (await credentials?.current()) ?? {}
  if (authorization === undefined) throw new CommandFailure('the kubeconfig has no token')
  const ca = await tls?.authority?.()
  return ({ namespace, name }, signal) =>
    new Promise((resolve, reject) => {
      request(
        `https://127.0.0.1:${port.trim()}/v1/artifacts/${namespace}/${name}/content`,
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
