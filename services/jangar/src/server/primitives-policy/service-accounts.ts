import { firstMatch } from '@agents/patterns'
import type { PolicyProblem } from './policy-problem.ts'

/** Whether a service account belongs to one of the platform's own processes. */
export type IsPlatformAccount = (namespace: string | undefined, name: string) => boolean

/** Which account a pod would run as, and whether it would hold its token. */
interface AccountRequest {
  readonly namespace: string | undefined
  /** If omitted, the platform's default account, else the namespace's account `default`. */
  readonly name?: string | undefined
  readonly mountToken: boolean
  /** The field that names it, for messages. If omitted, that of an AgentRun. */
  readonly field?: string
}

export interface AccountRules {
  /** Patterns of names, with `*` as a wildcard. */
  readonly allowed: readonly string[]
  /** The account of runs that name none. It is always allowed. */
  readonly platformDefault: string | undefined
  readonly isPlatformAccount: IsPlatformAccount
}

type AccountProblem = PolicyProblem<'ServiceAccountNotAllowed'>

/** The account of pods that name none, as Kubernetes itself chooses it. */
const namespaceDefault = 'default'

export function effectiveAccount(
  { name }: Pick<AccountRequest, 'name'>,
  { platformDefault }: Pick<AccountRules, 'platformDefault'>,
): string {
  return name ?? platformDefault ?? namespaceDefault
}

/**
 * Why a run may not use the account. Accounts of the platform's own processes are refused even if lists allow them. The
 * namespace's `default` account needs no permission unless its token is mounted.
 */
export function accountProblem(
  request: AccountRequest,
  rules: AccountRules,
): AccountProblem | undefined {
  const { namespace, mountToken, field = 'runtime.config.serviceAccount' } = request
  const name = effectiveAccount(request, rules)
  if (rules.isPlatformAccount(namespace, name)) {
    return refused(
      `the service account ${name} belongs to the platform's own processes, and no run may use it; set ${field} to another one`,
    )
  }
  const isAllowed = name === rules.platformDefault || firstMatch(rules.allowed, name) !== undefined
  if (isAllowed || (name === namespaceDefault && !mountToken)) return undefined
  if (name === namespaceDefault) {
    return refused(
      `the platform does not allow the token of the service account ${name}; set automountServiceAccountToken to false, or ask an administrator to add ${name} to JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED`,
    )
  }
  return refused(
    `the platform does not allow the service account ${name}; ask an administrator to add it to JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED`,
  )
}

function refused(message: string): AccountProblem {
  return { reason: 'ServiceAccountNotAllowed', message }
}

const tokenSecretType = 'kubernetes.io/service-account-token'
const tokenSecretAccount = 'kubernetes.io/service-account.name'

interface TypedSecret {
  readonly type?: string | undefined
  readonly metadata: {
    readonly name: string
    readonly namespace?: string | undefined
    readonly annotations?: Readonly<Record<string, string>> | undefined
  }
}

/** A Secret with the token of an account is equivalent to mounting that token, so the same rules apply. */
export function tokenSecretProblem(
  secret: TypedSecret | undefined,
  rules: AccountRules,
): AccountProblem | undefined {
  if (secret?.type !== tokenSecretType) return undefined
  const { namespace, annotations, name: secretName } = secret.metadata
  const name = annotations?.[tokenSecretAccount] ?? ''
  const problem = accountProblem({ namespace, name, mountToken: true }, rules)
  return (
    problem && refused(`Secret ${secretName} contains a service account token: ${problem.message}`)
  )
}
