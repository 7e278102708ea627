import { bearer, type CredentialSource, type Credentials } from '../client/connection.ts'
import type { ConfigEffects } from './effects.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import { createRereadFile } from './reread-file.ts'

/** A token that somebody else renews: read again every minute, and at once when the server refuses it. */
export function tokenFile(
  path: string,
  effects: Pick<ConfigEffects, 'readFile' | 'clock'>,
  others: Omit<Credentials, 'authorization'> = {},
): CredentialSource {
  const file = createRereadFile(path, effects, (text): Credentials => {
    const token = text.trim()
    if (token === '') throw new KubeconfigError(`${path} holds no token`)
    return { authorization: bearer(token), ...others }
  })
  return { current: () => file.current(), rejected: () => file.expire() }
}
