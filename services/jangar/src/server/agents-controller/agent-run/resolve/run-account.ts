import type { Agent, AgentRun } from '@agents/jangar-api'
import {
  type AccountRules,
  accountProblem,
  effectiveAccount,
} from '../../../primitives-policy/service-accounts.ts'
import { refused } from './problem.ts'
import type { Refused, ResolutionPorts } from './resolution.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

type AccountPorts = Pick<ResolutionPorts, 'config' | 'isPlatformAccount'>

/** Checks the service account of the run. The agent can only narrow what the platform allows. */
export function runAccountProblem(
  { metadata: { namespace } }: AgentRun,
  { serviceAccount: name, automountServiceAccountToken: mountToken = false }: RuntimeSettings,
  agent: Agent,
  ports: AccountPorts,
): Refused | undefined {
  const rules = accountRules(ports)
  const problem = accountProblem({ namespace, name, mountToken }, rules)
  if (problem !== undefined) return refused(problem.reason, problem.message)
  return agentAccountProblem(effectiveAccount({ name }, rules), agent)
}

function agentAccountProblem(name: string, agent: Agent): Refused | undefined {
  const allowed = agent.spec.security?.allowedServiceAccounts ?? []
  if (allowed.length === 0 || allowed.includes(name)) return undefined
  return refused(
    'ServiceAccountNotAllowed',
    `the service account ${name} is not in spec.security.allowedServiceAccounts of Agent ${agent.metadata.name} (${allowed.join(', ')}); set runtime.config.serviceAccount to one of them`,
  )
}

export function accountRules({ config, isPlatformAccount }: AccountPorts): AccountRules {
  return {
    allowed: config.agents.admission.serviceAccountsAllowed,
    platformDefault: config.runner.serviceAccount,
    isPlatformAccount,
  }
}
