import type { Agent } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { blockedSecretProblem } from '../../../primitives-policy/secrets.ts'
import { credentialProblem } from '../../version-control-provider/credential-problem.ts'
import { refused } from './problem.ts'
import type { Refused, ResolutionPorts } from './resolution.ts'
import { accountRules } from './run-account.ts'

/** A Secret that a run would use. `purpose` completes the phrase "Secret x, …" in messages. */
export interface SecretUse {
  readonly name: string
  readonly purpose: string
  /** If omitted, any key. */
  readonly key?: string
}

/** Who put a Secret into the agent's container: the run, its agent or the platform. Or it stays out of it. */
export type SecretChoice = 'run' | 'agent' | 'platform' | 'not in the container'

type SecretPorts = Pick<ResolutionPorts, 'caches' | 'config' | 'isPlatformAccount' | 'bindingRule'>

/** Why a run may not use a Secret. The platform's rules come before the agent's. */
export function secretProblem(
  use: SecretUse,
  agent: Agent,
  ports: SecretPorts,
  choice: SecretChoice = 'run',
): Refused | undefined {
  const { name, purpose } = use
  const { namespace } = agent.metadata
  const blocked = platformSecretProblem(use, namespace, ports)
  if (blocked !== undefined) return blocked
  if (choice === 'run' || choice === 'agent') {
    const credential = { name, namespace, purpose, usedBy: 'agents' as const }
    const problem = credentialProblem(credential, ports.caches.versionControlProviders)
    if (problem !== undefined) return refused(problem.reason, problem.message)
  }
  const unbound = bindingProblem(use, ports)
  const allowed = agent.spec.security?.allowedSecrets ?? []
  if (allowed.length === 0 || allowed.includes(name)) return unbound
  const origin = choice === 'agent' ? 'the defaults of the agent' : 'the run'
  return refused(
    'SecretNotAllowed',
    `Secret ${name}, ${purpose}, is not in spec.security.allowedSecrets of Agent ${agent.metadata.name}; add it there, or remove it from ${origin}`,
  )
}

/** Bindings also hold for Secrets that never reach the agent's container. */
export function bindingProblem(
  use: SecretUse,
  { bindingRule }: Pick<SecretPorts, 'bindingRule'>,
): Refused | undefined {
  const problem = bindingRule?.(use)
  return problem && refused(problem.reason, problem.message)
}

/** Checks only the platform's rules, for Secrets that never reach the agent's container. */
export function platformSecretProblem(
  { name, purpose }: SecretUse,
  namespace: string | undefined,
  ports: SecretPorts,
): Refused | undefined {
  const secret = ports.caches.secrets.get(formatKey({ namespace, name }))
  const { blockedSecrets, platformSecrets } = ports.config.agents.admission
  const rules = { blockedSecrets, platformSecrets, accounts: accountRules(ports) }
  const problem = blockedSecretProblem({ name, purpose, secret }, rules)
  return problem && refused(problem.reason, problem.message)
}
