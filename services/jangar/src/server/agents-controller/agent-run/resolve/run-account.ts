import type { Agent, AgentRun } from '@agents/jangar-api'
import {
  type BindingRule,
  namedBindingRule,
  secretBindingRule,
} from '../../../primitives-policy/secret-bindings.ts'
import {
  type AccountRules,
  accountProblem,
  effectiveAccount,
} from '../../../primitives-policy/service-accounts.ts'
import { type Found, found, refused } from './problem.ts'
import type { Refused, ResolutionPorts } from './resolution.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

/** The rule of the SecretBindings that concern the run. */
export function bindingsOf(
  { metadata: { namespace, name }, spec }: AgentRun,
  { serviceAccount }: RuntimeSettings,
  ports: AccountPorts & Pick<ResolutionPorts, 'caches'>,
): Found<BindingRule | undefined> {
  const account = effectiveAccount({ name: serviceAccount }, accountRules(ports))
  const request = {
    namespace,
    subjects: [
      { kind: 'AgentRun', name },
      { kind: 'Agent', name: spec.agentRef.name },
      { kind: 'ServiceAccount', name: account },
      { kind: 'Namespace', name: namespace ?? '' },
    ],
  } as const
  const rules = {
    secretBindings: ports.caches.secretBindings,
    isRequired: ports.config.agents.admission.secretBindingRequired,
  }
  const binding = spec.policy?.secretBindingRef?.name
  if (binding === undefined) return found(secretBindingRule(request, rules))
  return namedBindingRule({ ...request, binding }, rules)
}

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
