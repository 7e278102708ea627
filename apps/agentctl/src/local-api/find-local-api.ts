import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { findStateDir } from '../cluster/choose-kubeconfig.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { readRunningPlatform } from '../running-platform/platform-record.ts'

/** The HTTP API of the platform on this machine, and what its requests need. */
export interface LocalApiAccess {
  /** `https://127.0.0.1:8443` */
  readonly url: string
  readonly authorization: string
  readonly ca: string | undefined
  readonly stateDir: string
}

/**
 * The API of the local platform whose API server the connection is for. Undefined for a cluster: a token is sent to no
 * other address, and that of a cluster's API is not known here.
 */
export async function findLocalApi(
  { server, tls, credentials }: Connection,
  values: ClusterValues,
  context: CommandContext,
): Promise<LocalApiAccess | undefined> {
  const stateDir = await findStateDir(values, context)
  const platform = await readRunningPlatform(stateDir)
  const port = await readFile(join(stateDir, 'http-port'), 'utf8').catch(() => '')
  if (platform?.url !== server || !/^\d{1,5}\n$/.test(port)) return undefined
  const { authorization } = (await credentials?.current()) ?? {}
  if (authorization === undefined) throw new CommandFailure('the kubeconfig has no token')
  const ca = await tls?.authority?.()
  return { url: `https://127.0.0.1:${port.trim()}`, authorization, ca, stateDir }
}
