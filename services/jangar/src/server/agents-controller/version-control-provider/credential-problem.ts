import type { ResourceCache } from '@agents/controller'
import type { VersionControlProvider } from '@agents/jangar-api'
import type { PolicyProblem } from '../../primitives-policy/policy-problem.ts'
import { signInSecrets } from './vcs-token-secret.ts'

interface CredentialUse {
  readonly name: string
  readonly namespace: string | undefined
  /** Completes the phrase "Secret x, …" in messages. */
  readonly purpose: string
  readonly usedBy: 'agents' | 'tools'
}

/**
 * Credentials of Git hosting services are for the publisher only, which checks what is pushed: a program that holds one
 * can bypass every policy for repositories and branches.
 */
export function credentialProblem(
  { name, namespace, purpose, usedBy }: CredentialUse,
  providers: ResourceCache<VersionControlProvider>,
): PolicyProblem<'SecretBlocked'> | undefined {
  const provider = providers
    .list()
    .find((one) => one.metadata.namespace === namespace && signInSecrets(one).includes(name))
  if (provider === undefined) return undefined
  const message = `Secret ${name}, ${purpose}, is the credential of VersionControlProvider ${provider.metadata.name}, which ${usedBy} must not read; use another Secret`
  return { reason: 'SecretBlocked', message }
}
