import type { Connection, KubeClient, ObjectKey } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { fetchLocal } from '../local-api/fetch-local.ts'
import { findLocalApi } from '../local-api/find-local-api.ts'
import type { ShownKind } from '../run/run-kind.ts'
import { artifactsOf } from './run-artifacts.ts'

interface KeptOutputPorts {
  readonly client: KubeClient
  readonly connection: Connection
  readonly values: ClusterValues
  readonly context: CommandContext
}

/** The output of a pod that was uploaded before the pod was deleted. */
interface KeptOutput {
  readonly pod: string
  read(tailLines: number | undefined): Promise<AsyncIterable<Uint8Array>>
}

/** What a platform on this machine keeps of the output of a run, the oldest pod first. */
export async function keptOutputs(
  { client, connection, values, context }: KeptOutputPorts,
  key: ObjectKey,
  of: ShownKind,
): Promise<readonly KeptOutput[]> {
  const { stop } = context
  const api = await findLocalApi(connection, values, context)
  if (api === undefined) return []
  const logs = (await artifactsOf(client, key, of, stop)).filter(
    ({ spec, status }) => spec?.source?.type === 'Log' && status?.uri !== undefined,
  )
  return logs.map(({ spec }) => {
    const pod = spec?.source?.pod ?? ''
    return {
      pod,
      read: async (tailLines) => {
        const query = new URLSearchParams({ kind: of.kind.kind, pod })
        if (tailLines !== undefined) query.set('tailLines', `${tailLines}`)
        const path = `/v1/runs/${key.namespace}/${key.name}/logs?${query}`
        const answer = await fetchLocal(api, path, stop)
        if (answer.statusCode === 200) return answer
        answer.resume()
        throw new Error(`the API answers with status ${answer.statusCode}`)
      },
    }
  })
}
