import { type Forge, ForgeError, openForge, ResponseMemory } from '@agents/forge'
import type { ImplementationSource } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import type { ResolutionPorts } from '../../agent-run/resolve/resolution.ts'
import { forgeTokens } from '../../pull-request/forge-token.ts'
import { sourceForge } from './source-forge.ts'

type Ports = Omit<ResolutionPorts, 'claims'> & { readonly client: KubeClient }

/** Opens the service of a source. Throws ForgeErrors. */
export type OpenSourceForge = (
  source: ImplementationSource,
  now: Date,
  signal: AbortSignal,
) => Promise<Forge>

/** The permissions are those of an app's token; the second set is asked for if the app has not got the first. */
export function sourceForges(
  ports: Ports,
  permissions: Parameters<typeof forgeTokens>[1],
  access: 'read' | 'write' = 'read',
): OpenSourceForge {
  const tokens = forgeTokens(ports.client, permissions)
  const memory = new ResponseMemory()
  return async (source, now, signal) => {
    const found = sourceForge(source, ports)
    if (found.kind === 'problem') throw new ForgeError('forbidden', found.message)
    const { provider, address } = found
    if (access === 'write' && provider.spec.capabilities?.write === false) {
      const whose = `VersionControlProvider ${provider.metadata.name}`
      throw new ForgeError('forbidden', `${whose} does not allow writing`)
    }
    const { repository = '' } = source.spec.scope ?? {}
    const apiBaseUrl = address.baseUrl
    const signedIn = await tokens({ provider, repository, apiBaseUrl, now, signal })
    if (signedIn.kind === 'problem') throw new ForgeError('unauthorized', signedIn.message)
    const { token } = signedIn
    return openForge(address.service, { baseUrl: apiBaseUrl, token, memory })
  }
}
