import { structType } from '../../type/type.ts'
import {
  type CelError,
  isOpaque,
  noSuchOverload,
  type OpaqueKind,
  type Value,
} from '../../value/value.ts'
import type {
  AuthorizationDecision,
  AuthorizationUser,
  PolicyAuthorizer,
} from './policy-authorizer.ts'

/** The type of the variable `authorizer`. */
export const authorizerType = structType('kubernetes.authorization.Authorizer')
export const pathCheckType = structType('kubernetes.authorization.PathCheck')
export const groupCheckType = structType('kubernetes.authorization.GroupCheck')
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType = structType('kubernetes.authorization.ResourceCheck')
export const decisionType = structType('kubernetes.authorization.Decision')

/** The authorizer and the user whose rights are checked. */
interface Subject {
  readonly authorizer: PolicyAuthorizer
  readonly user: AuthorizationUser
}

interface PathCheck extends Subject {
  readonly path: string
}

interface GroupCheck extends Subject {
  readonly group: string
}

export interface ResourceCheck extends GroupCheck {
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector: string
  readonly labelSelector: string
}

/** A kind of value that only has methods. Two such values cannot be compared, as in upstream. */
export class MethodsOnly<Content> implements OpaqueKind {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  of(content: Content): Value {
    return { kind: 'opaque', type: this, content }
  }

  content(value: Value | undefined): Content | undefined {
    const fits = value !== undefined && isOpaque(value) && value.type === this
    return fits ? (value.content as Content) : undefined
  }

  equal(): CelError {
    return noSuchOverload
  }
}

export const authorizerKind = new MethodsOnly<Subject>(authorizerType.name)
export const pathCheckKind = new MethodsOnly<PathCheck>(pathCheckType.name)
export const groupCheckKind = new MethodsOnly<GroupCheck>(groupCheckType.name)
export const resourceCheckKind = new MethodsOnly<ResourceCheck>(resourceCheckType.name)
export const decisionKind = new MethodsOnly<AuthorizationDecision>(decisionType.name)
