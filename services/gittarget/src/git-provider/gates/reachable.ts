import { pass, stall, wait } from '@agents/controller'
import { type Connection, type GitError, type GitErrorCode, isGitError } from '@agents/git'
import type { gitProviderConditions } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { ReasonOf } from '@agents/status'
import { explainGitError } from '../../repository/explain-git-error.ts'
import { resolveConnection } from '../../repository/resolve-connection.ts'
import type { GitProviderPorts, ProviderGate } from '../provider-ports.ts'

/** Nothing notifies the operator when a server becomes reachable again. */
const retryMs = 30_000

export function reachable(ports: GitProviderPorts): ProviderGate<'Reachable'> {
  return {
    condition: 'Reachable',
    async check(provider, _detail, { signal }) {
      const resolved = await resolveConnection(provider, ports, signal)
      if (!resolved.ok) return wait('ConnectionFailed', resolved.message, retryMs)
      try {
        const { reachability } = ports
        const key = formatKey(provider.metadata)
        const recheckAfterMs = await reachability.check(key, resolved.connection, signal)
        return pass('OK', 'the repository can be read', { recheckAfterMs })
      } catch (error) {
        if (!isGitError(error)) throw error
        const message = `${adviceFor(error, resolved.connection)}${explainGitError(error)}`
        if (error.code === 'refused') return stall('RepositoryNotFound', message)
        return wait(reasons[error.code] ?? 'ConnectionFailed', message, retryMs)
      }
    },
  }
}

/** The error of a TLS library does not contain the authorities that the certificate was checked against. */
function adviceFor({ code }: GitError, { caCertificates }: Connection): string {
  if (code !== 'certificate') return ''
  return caCertificates === undefined
    ? 'the certificate of the server is not signed by an authority that the system trusts; put the certificate of its authority into the Secret under ca.crt: '
    : 'the certificate of the server is not signed by an authority in ca.crt of the Secret: '
}

const reasons: Partial<Record<GitErrorCode, ReasonOf<typeof gitProviderConditions, 'Reachable'>>> =
  {
    auth: 'AuthenticationFailed',
    'host-key': 'HostKeyRejected',
    certificate: 'CertificateNotTrusted',
    'not-found': 'RepositoryNotFound',
  }
