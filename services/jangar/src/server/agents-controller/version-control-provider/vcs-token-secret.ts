import { childName } from '@agents/controller'
import type { VersionControlProvider } from '@agents/jangar-api'
import { type NamedKey, readSignIn } from './sign-in.ts'

type Provider = Pick<VersionControlProvider, 'metadata' | 'spec'>

/**
 * Which Secret, in the provider's namespace, holds the token to sign in with: the one that the spec names, or the one that minted
 * tokens are kept in. Undefined where no token is used. A pod that mounts it as a file sees each token that follows.
 */
export function vcsTokenSecret(provider: Provider): NamedKey | undefined {
  const read = readSignIn(provider.spec)
  if ('problem' in read) return undefined
  const { signIn } = read
  if (signIn.method === 'token') return signIn.secret
  return signIn.method === 'app' ? mintedTokenSecret(provider) : undefined
}

/** Only a provider that signs in as an app has it. */
export function mintedTokenSecret({ metadata }: Pick<Provider, 'metadata'>): NamedKey {
  return { name: childName(metadata.name, 'app-token'), key: 'token' }
}
