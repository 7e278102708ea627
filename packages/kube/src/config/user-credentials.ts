import { bearer, type CredentialSource, staticCredentials } from '../transport/connection.ts'
import type { ConfigEffects } from './effects.ts'
import { execCredentials } from './exec-credentials.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts'
import { materialOf } from './material.ts'
import { tokenFile } from './token-file.ts'

export interface TargetCluster {
  readonly cluster: ClusterEntry
  readonly server: string
}

/** The credentials of a user entry; undefined for an anonymous user. */
export async function userCredentials(
  user: UserEntry,
  target: TargetCluster,
  effects: ConfigEffects,
): Promise<CredentialSource | undefined> {
  if (user.username || user.password) {
    throw new KubeconfigError(
      'username and password are not supported: Kubernetes 1.19 removed basic authentication',
    )
  }
  if (user['auth-provider'] !== undefined) {
    throw new KubeconfigError('auth-provider is not supported: use an exec plugin')
  }
  const clientCertificate = await certificateOf(user, effects)
  const certificate = clientCertificate === undefined ? {} : { clientCertificate }
  if (user.tokenFile) return tokenFile(user.tokenFile, effects, certificate)
  if (user.token) return staticCredentials({ authorization: bearer(user.token), ...certificate })
  if (user.exec !== undefined) return execCredentials(user.exec, target, effects)
  return clientCertificate === undefined ? undefined : staticCredentials(certificate)
}

async function certificateOf(user: UserEntry, effects: ConfigEffects) {
  const certificate = await materialOf(
    user['client-certificate-data'],
    user['client-certificate'],
    'client-certificate',
    effects,
  )
  const key = await materialOf(user['client-key-data'], user['client-key'], 'client-key', effects)
  if (certificate === undefined && key === undefined) return undefined
  if (certificate === undefined || key === undefined) {
    throw new KubeconfigError('client-certificate and client-key must both be set')
  }
  return { certificate, key }
}
