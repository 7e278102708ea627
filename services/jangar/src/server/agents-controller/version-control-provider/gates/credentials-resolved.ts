import { type GateOf, pass } from '@agents/controller'
import type { VersionControlProvider, versionControlProviderConditions } from '@agents/jangar-api'
import type { CoreCaches } from '../../../caches/core-caches.ts'
import { type KeyReference, missingKey } from '../../../kubernetes/missing-key.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import { readSignIn, type SignIn } from '../sign-in.ts'

export function credentialsResolved(
  caches: Pick<CoreCaches, 'secrets' | 'configMaps'>,
): GateOf<typeof versionControlProviderConditions, 'CredentialsResolved', VersionControlProvider> {
  return {
    condition: 'CredentialsResolved',
    check: (provider) => {
      const references = credentialsOf(provider)
      for (const reference of references) {
        const missing = missingKey(caches, provider.metadata.namespace, reference)
        if (missing) return waitFor(missing.reason, missing.message)
      }
      if (references.length === 0) return pass('NotRequired', 'no credentials are required')
      const names = references.map(({ kind, name, key }) => `${kind} ${name} has the key ${key}`)
      return pass('SecretResolved', names.join(', '))
    },
  }
}

/** The keys that authentication requires. Empty if the spec is invalid. */
export function credentialsOf({ spec }: Pick<VersionControlProvider, 'spec'>): KeyReference[] {
  const read = readSignIn(spec)
  return 'signIn' in read ? keysFor(read.signIn) : []
}

function keysFor(signIn: SignIn): KeyReference[] {
  switch (signIn.method) {
    case 'none':
      return []
    case 'token':
      return [{ kind: 'Secret', ...signIn.secret }]
    case 'app':
      return [{ kind: 'Secret', ...signIn.privateKey }]
    case 'ssh':
      return [
        { kind: 'Secret', ...signIn.privateKey },
        ...(signIn.knownHosts ? [{ kind: 'ConfigMap' as const, ...signIn.knownHosts }] : []),
      ]
  }
}
