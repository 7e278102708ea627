import { bearer, type CredentialSource, type Credentials } from '../transport/connection.ts'
import type { ConfigEffects } from './effects.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import { createRereadFile } from './reread-file.ts'

/** A token that the kubelet renews: read every minute, and at once when the server rejects it. */
export function tokenFile(
  path: string,
  effects: Pick<ConfigEffects, 'readFile' | 'clock'>,
  others: Omit<Credentials, 'authorization'> = {},
): CredentialSource {
  const file = createRereadFile(path, effects, (text): Credentials => {
    const token = text.trim()
    if (token === '') throw new KubeconfigError(`${path} has no token`)
    return { authorization: bearer(token), ...others }
  })
  return { current: () => file.current(), rejected: () => file.expire() }
}
