/**
 * The authorizer behind the variable `authorizer`. It is synchronous, because an evaluation does not wait. An
 * expression makes at most two checks, because each costs 350000 of the 1000000 units that an expression may use.
 */
export interface PolicyAuthorizer {
  authorize(attributes: AuthorizationAttributes): AuthorizationDecision
}

/** A check whether a user may perform an action. */
export type AuthorizationAttributes = ResourceAttributes | PathAttributes

interface ResourceAttributes {
  readonly kind: 'resource'
  readonly user: AuthorizationUser
  readonly verb: string
  readonly group: string
  /** Always `*`, because expressions do not specify a version. */
  readonly version: string
  readonly resource: string
  /** Empty if not set: the resource itself, the cluster scope, every name, no selector. */
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** The selectors as written in the expression. RBAC ignores them. */
  readonly fieldSelector: string
  readonly labelSelector: string
}

interface PathAttributes {
  readonly kind: 'path'
  readonly user: AuthorizationUser
  readonly verb: string
  readonly path: string
}

export interface AuthorizationUser {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
}

export interface AuthorizationDecision {
  readonly allowed: boolean
  readonly reason: string
  /** Why the check failed or is incomplete. */
  readonly error?: string
}
