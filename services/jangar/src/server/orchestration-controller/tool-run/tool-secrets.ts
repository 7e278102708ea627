import type { ToolRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { credentialProblem } from '../../agents-controller/version-control-provider/credential-problem.ts'
import { type BindingSubject, secretBindingRule } from '../../primitives-policy/secret-bindings.ts'
import { blockedSecretProblem } from '../../primitives-policy/secrets.ts'
import { type AccountRules, effectiveAccount } from '../../primitives-policy/service-accounts.ts'
import { refused, type ToolResolutionPorts, type ToolRunRefused } from './tool-resolution.ts'

interface SecretsOfRun {
  readonly run: ToolRun
  /** Whom SecretBindings can name, besides the run, its account and its namespace. */
  readonly subjects: readonly BindingSubject[]
  readonly serviceAccount?: string | undefined
  /** Their names. */
  readonly secrets: readonly string[]
  /** Completes the phrase "Secret x, …" in messages. */
  readonly purpose: string
}

/** Why a run may not use its Secrets. */
export function secretsProblem(
  { run, subjects, serviceAccount, secrets, purpose }: SecretsOfRun,
  ports: ToolResolutionPorts,
): ToolRunRefused | undefined {
  const { namespace } = run.metadata
  const { admission } = ports.config.agents
  const accounts = accountRules(ports)
  const bindingRule = secretBindingRule(
    {
      namespace,
      subjects: [
        { kind: 'ToolRun', name: run.metadata.name },
        ...subjects,
        { kind: 'ServiceAccount', name: effectiveAccount({ name: serviceAccount }, accounts) },
        { kind: 'Namespace', name: namespace ?? '' },
      ],
    },
    {
      secretBindings: ports.caches.secretBindings,
      isRequired: admission.secretBindingRequired,
    },
  )
  const { blockedSecrets, platformSecrets } = admission
  for (const name of secrets) {
    const secret = ports.caches.secrets.get(formatKey({ namespace, name }))
    const use = { name, purpose, secret }
    const problem =
      blockedSecretProblem(use, { blockedSecrets, platformSecrets, accounts }) ??
      credentialProblem(
        { ...use, namespace, usedBy: 'tools' },
        ports.caches.versionControlProviders,
      ) ??
      bindingRule?.(use)
    if (problem !== undefined) return refused(problem.reason, problem.message)
  }
  return undefined
}

export function accountRules({
  config,
  isPlatformAccount,
}: Pick<ToolResolutionPorts, 'config' | 'isPlatformAccount'>): AccountRules {
  return {
    allowed: config.agents.admission.serviceAccountsAllowed,
    platformDefault: config.runner.serviceAccount,
    isPlatformAccount,
  }
}
