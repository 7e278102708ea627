import type { Secret } from '@agents/kube'
import type { PolicyProblem } from './policy-problem.ts'
import { type AccountRules, tokenSecretProblem } from './service-accounts.ts'

/** A Secret that a run would use. `purpose` completes the phrase "Secret x, …" in messages. */
interface UsedSecret {
  readonly name: string
  readonly purpose: string
  /** As the cache has it. Undefined if it does not exist. */
  readonly secret: Secret | undefined
}

interface SecretRules {
  /** Names that no run may use. */
  readonly blockedSecrets: readonly string[]
  /** Names of the Secrets of the platform's own processes. */
  readonly platformSecrets: readonly string[]
  readonly accounts: AccountRules
}

type SecretProblem = PolicyProblem<'SecretBlocked' | 'ServiceAccountNotAllowed'>

/** Why the platform lets no run use the Secret. */
export function blockedSecretProblem(
  { name, purpose, secret }: UsedSecret,
  { blockedSecrets, platformSecrets, accounts }: SecretRules,
): SecretProblem | undefined {
  if (blockedSecrets.includes(name) || platformSecrets.includes(name)) {
    const message = `Secret ${name}, ${purpose}, is blocked by the platform`
    return { reason: 'SecretBlocked', message }
  }
  return tokenSecretProblem(secret, accounts)
}
