import type { Agent } from '@agents/jangar-api'
import { refused } from './problem.ts'
import type { Refused } from './resolution.ts'

/** A Secret that a run would use, and what for, in words that complete "Secret x, …". */
export interface SecretUse {
  readonly name: string
  readonly purpose: string
}

/** Why a run may not use a Secret: the platform's word goes before the agent's. */
export function secretProblem(
  { name, purpose }: SecretUse,
  agent: Agent,
  blocked: readonly string[],
): Refused | undefined {
  if (blocked.includes(name)) {
    return refused('SecretBlocked', `Secret ${name}, ${purpose}, is forbidden by the platform`)
  }
  const allowed = agent.spec.security?.allowedSecrets ?? []
  if (allowed.length === 0 || allowed.includes(name)) return undefined
  return refused(
    'SecretNotAllowed',
    `Secret ${name}, ${purpose}, is not among the allowedSecrets of Agent ${agent.metadata.name}; add it there, or do without it`,
  )
}

/** Runs that name no service account get the one called default, which must be allowed too. */
export function serviceAccountProblem(
  serviceAccount: string | undefined,
  agent: Agent,
): Refused | undefined {
  const name = serviceAccount ?? 'default'
  const allowed = agent.spec.security?.allowedServiceAccounts ?? []
  if (allowed.length === 0 || allowed.includes(name)) return undefined
  return refused(
    'ServiceAccountNotAllowed',
    `the service account ${name} is not among the allowedServiceAccounts of Agent ${agent.metadata.name} (${allowed.join(', ')}); name one of them in runtime.config.serviceAccount`,
  )
}
