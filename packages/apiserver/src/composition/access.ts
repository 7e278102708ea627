import type { IncomingHttpHeaders } from 'node:http'
import { type Authenticator, anonymous, createAuthenticator } from '../auth/authenticate.ts'
import type { AuthorizationMode } from '../auth/authorization-mode.ts'
import { impersonate } from '../auth/impersonate.ts'
import type { KeyMaterial } from '../auth/pki/key-material.ts'
import type { Authorizer } from '../auth/rbac/authorizer.ts'
import { escalationCheck, type FindRole } from '../auth/rbac/escalation.ts'
import type { Role } from '../auth/rbac/policy.ts'
import type { BoundObject, TokenSubjects } from '../auth/tokens/service-account-token.ts'
import {
  type ServiceAccountTokens,
  serviceAccountTokens,
} from '../auth/tokens/service-account-token.ts'
import type { Authenticate, Authorize } from '../request/access.ts'
import type { UserInfo } from '../request/user-info.ts'
import { type Admission, noAdmission } from '../rest/admission.ts'
import type { Store } from '../store/store.ts'
import { storedAuthorizer } from './stored-authorizer.ts'

export interface Access {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly tokens: ServiceAccountTokens
  readonly authenticate: Authenticate
  readonly authorize: Authorize
  /** Rejects roles and bindings that grant more than their author has. */
  readonly escalation: Admission
  stop(): void
}

interface AccessOptions {
  readonly store: Store
  readonly clock: () => Date
  readonly keys: KeyMaterial
  /** Users by bearer token, in addition to the administrator. */
  readonly staticTokens: ReadonlyMap<string, UserInfo>
  readonly mode: AuthorizationMode
}

/** Sets up authentication and authorization. */
export function createAccess({ store, clock, keys, staticTokens, mode }: AccessOptions): Access {
  const tokens = serviceAccountTokens(keys.serviceAccountKey)
  const authenticator = createAuthenticator({
    staticTokens: new Map([...staticTokens, [keys.adminToken, administrator]]),
    serviceAccounts: tokens,
    subjects: storedSubjects(store),
    clock,
  })
  const stored = storedAuthorizer(store)
  const authorizer = mode === 'RBAC' ? stored : allowEverything
  return {
    authenticator,
    authorizer,
    tokens,
    authenticate: (request, info) => {
      const user = authenticator.authenticate(request)
      if (user === anonymous && !info.isResource && isPublic(info.path)) return user
      // Without authorization, anonymous requests are rejected.
      if (user === anonymous && mode === 'AlwaysAllow') return undefined
      if (!isImpersonation(request.headers)) return user
      return impersonate(
        user,
        request.headers,
        distinctHeaders(request.headersDistinct),
        authorizer,
        info,
      )
    },
    authorize: (user, info) =>
      !info.isResource && info.verb === 'get' && isPublic(info.path)
        ? { allowed: true }
        : authorizer.decide(user, info),
    escalation: mode === 'RBAC' ? escalationCheck(stored, storedRole(store)) : noAdmission,
    stop: () => stored.stop(),
  }
}

/** A cheap check for each request: almost none of them impersonates. */
function isImpersonation(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true
  return false
}

const administrator: UserInfo = { name: 'admin', groups: ['system:masters'] }

const allowEverything: Authorizer = {
  decide: () => ({ allowed: true, reason: '' }),
  rulesFor: () => ({
    granted: [
      { rule: { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, source: 'AlwaysAllow' },
      { rule: { verbs: ['*'], nonResourceURLs: ['*'] }, source: 'AlwaysAllow' },
    ],
    errors: [],
  }),
}

function storedRole(store: Store): FindRole {
  const prefix = '/rbac.authorization.k8s.io'
  return (namespace, name) => {
    const key = namespace === '' ? `clusterroles/${name}` : `roles/${namespace}/${name}`
    return store.get(`${prefix}/${key}`)?.value as Role | undefined
  }
}

/** Health and version are readable without credentials. */
function isPublic(path: string): boolean {
  return /^\/(?:healthz|livez|readyz|version)\/?$/.test(path)
}

function distinctHeaders(
  headers: NodeJS.Dict<string[]>,
): Readonly<Record<string, readonly string[]>> {
  return headers as Record<string, string[]>
}

function storedSubjects(store: Store): TokenSubjects {
  const uidOf = (key: string): string | undefined => store.get(key)?.value.metadata.uid
  return {
    serviceAccountUid: (namespace, name) => uidOf(`/core/serviceaccounts/${namespace}/${name}`),
    boundObjectUid: (namespace, { kind, name }: BoundObject) => {
      switch (kind) {
        case 'Pod':
          return uidOf(`/core/pods/${namespace}/${name}`)
        case 'Secret':
          return uidOf(`/core/secrets/${namespace}/${name}`)
        case 'Node':
          return uidOf(`/core/nodes/${name}`)
      }
    },
  }
}
