import type { Connection } from '@agents/git'
import { type GitProvider, type GitTarget, gitProvider } from '@agents/gittarget-api'
import { type KubeClient, kindRef } from '@agents/kube'
import { objectReader } from '../kubernetes/object-reader.ts'
import { resolveConnection } from './resolve-connection.ts'

interface TargetConnection {
  readonly provider: GitProvider
  readonly connection: Connection
}

/** The connection to the repository of a target, with what the caller may read. Throws if that is not enough. */
export async function targetConnection(
  { metadata: { namespace }, spec }: GitTarget,
  { client, signal }: { readonly client: KubeClient; readonly signal: AbortSignal },
): Promise<TargetConnection> {
  const key = { namespace, name: spec.providerRef.name }
  const provider = await client.get(kindRef<GitProvider>(gitProvider), key, { signal })
  const ports = { reader: objectReader(client), allowFile: true }
  const resolved = await resolveConnection(provider, ports, signal)
  if (!resolved.ok) throw new Error(resolved.message)
  return { provider, connection: resolved.connection }
}
