import type { Connection, KubeClient, ObjectKey } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import type { ShownKind } from '../run/run-kind.ts'
import { findServer, pathWith, type ServerValues } from '../server-api/open-server.ts'
import { artifactsOf } from './run-artifacts.ts'

interface KeptOutputPorts {
  readonly client: KubeClient
  readonly connection: Connection
  readonly values: ServerValues
  readonly context: CommandContext
}

/** The output of a pod that was uploaded before the pod was deleted. */
interface KeptOutput {
  readonly pod: string
  readonly createdAt: string
  read(tailLines: number | undefined): Promise<AsyncIterable<Uint8Array>>
}

/** What the platform keeps of the output of a run, the oldest pod first. None if its HTTP API is not known. */
export async function keptOutputs(
  { client, connection, values, context }: KeptOutputPorts,
  key: ObjectKey,
  of: ShownKind,
): Promise<readonly KeptOutput[]> {
  const { stop } = context
  const api = await findServer(connection, values, context)
  if (api === undefined) return []
  const logs = (await artifactsOf(client, key, of, stop)).filter(
    ({ spec, status }) => spec?.source?.type === 'Log' && status?.uri !== undefined,
  )
  return logs.map(({ metadata, spec }) => {
    const pod = spec?.source?.pod ?? ''
    return {
      pod,
      createdAt: metadata.creationTimestamp ?? '',
      read: async (tailLines) => {
        const query = { kind: of.kind.kind, pod, tailLines: tailLines?.toString() }
        return api.open(pathWith(`/v1/runs/${key.namespace}/${key.name}/logs`, query))
      },
    }
  })
}
