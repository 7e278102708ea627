import { pass, stall } from '@agents/controller'
import { type ConnectionPorts, resolveConnection } from '../../repository/resolve-connection.ts'
import type { ProviderGate } from '../provider-ports.ts'

export function credentialsResolved(ports: ConnectionPorts): ProviderGate<'CredentialsResolved'> {
  return {
    condition: 'CredentialsResolved',
    async check(provider, _detail, { signal }) {
      const resolved = await resolveConnection(provider, ports, signal)
      if (!resolved.ok) return stall(resolved.reason, resolved.message)
      return provider.spec.secretRef === undefined
        ? pass('NotRequired', 'the repository is used anonymously')
        : pass('OK', 'credentials and host keys are valid')
    },
  }
}
