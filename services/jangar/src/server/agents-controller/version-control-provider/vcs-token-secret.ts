import { childName } from '@agents/controller'
import type { VersionControlProvider } from '@agents/jangar-api'
import { type NamedKey, readSignIn } from './sign-in.ts'

type Provider = Pick<VersionControlProvider, 'metadata' | 'spec'>

/**
 * The key of the Secret, in the provider's namespace, that contains the token: the one in the spec, or the one with
 * minted tokens. Undefined if no token is used. A pod that mounts it as a file sees renewed tokens.
 */
export function vcsTokenSecret(provider: Provider): NamedKey | undefined {
  const read = readSignIn(provider.spec)
  if ('problem' in read) return undefined
  const { signIn } = read
  if (signIn.method === 'token') return signIn.secret
  return signIn.method === 'app' ? mintedTokenSecret(provider) : undefined
}

/** The names of all Secrets with credentials in the spec, whatever the method, and of the one for minted tokens. */
export function signInSecrets({ metadata, spec }: Provider): readonly string[] {
  const { token, app, ssh } = spec.auth ?? {}
  return [token?.secretRef, app?.privateKeySecretRef, ssh?.privateKeySecretRef]
    .flatMap((ref) => (ref === undefined ? [] : [ref.name]))
    .concat(mintedTokenSecret({ metadata }).name)
}

/** Exists only if the provider authenticates as an app. */
export function mintedTokenSecret({ metadata }: Pick<Provider, 'metadata'>): NamedKey {
  return { name: childName(metadata.name, 'app-token'), key: 'token' }
}
