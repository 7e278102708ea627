import type { KubeObject } from '@agents/kube'
import { secondsTimestamp } from '../metadata/timestamps.ts'
import type { UserInfo } from '../request/user-info.ts'
import { badRequest, invalid } from '../status/api-error.ts'
import { invalidValue } from '../status/field-errors.ts'
import type { Authenticator } from './authenticate.ts'
import type { Authorizer } from './rbac/authorizer.ts'
import type { AccessAttributes, PolicyRule } from './rbac/policy.ts'

/** Answers access reviews: a client creates an object and gets it back with its status. */

interface ResourceAttributes {
  namespace?: string
  verb?: string
  group?: string
  resource?: string
  subresource?: string
  name?: string
}

interface ReviewSpec {
  resourceAttributes?: ResourceAttributes
  nonResourceAttributes?: { path?: string; verb?: string }
  user?: string
  groups?: string[]
  uid?: string
  extra?: Record<string, string[]>
}

/** SubjectAccessReview and LocalSubjectAccessReview: may that user do this? */
export function reviewSubjectAccess(review: KubeObject, authorizer: Authorizer): KubeObject {
  const spec = (review.spec ?? {}) as ReviewSpec
  checkNamespace(review, spec)
  const user = { name: spec.user ?? '', groups: spec.groups ?? [], extra: spec.extra ?? {} }
  return { ...review, status: decide(spec, user, authorizer) }
}

/** A LocalSubjectAccessReview must be about the namespace that it is created in. */
function checkNamespace({ kind, metadata }: KubeObject, { resourceAttributes }: ReviewSpec): void {
  const namespace = resourceAttributes?.namespace ?? ''
  if (kind !== 'LocalSubjectAccessReview' || namespace === metadata.namespace) return
  throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [
    invalidValue('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'),
  ])
}

/** SelfSubjectAccessReview: may I do this? */
export function reviewOwnAccess(
  review: KubeObject,
  user: UserInfo,
  authorizer: Authorizer,
): KubeObject {
  return { ...review, status: decide((review.spec ?? {}) as ReviewSpec, user, authorizer) }
}

/** SelfSubjectRulesReview: what may I do in this namespace? */
export function reviewOwnRules(
  review: KubeObject,
  user: UserInfo,
  authorizer: Authorizer,
): KubeObject {
  const { namespace = '' } = (review.spec ?? {}) as { namespace?: string }
  if (namespace === '') throw badRequest('no namespace on request')
  const { granted, errors } = authorizer.rulesFor(user, namespace)
  const rules = granted.map(({ rule }) => rule)
  return {
    ...review,
    status: {
      incomplete: errors.length > 0,
      ...(errors.length > 0 ? { evaluationError: errors.join(', ') } : {}),
      resourceRules: rules
        .filter(({ nonResourceURLs }) => !nonResourceURLs?.length)
        .map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    },
  }
}

/** SelfSubjectReview: who am I? */
export function reviewOwnIdentity(review: KubeObject, user: UserInfo, now: Date): KubeObject {
  const metadata = { ...review.metadata, creationTimestamp: secondsTimestamp(now) }
  return { ...review, metadata, status: { userInfo: userStatus(user) } }
}

/** TokenReview: whose token is this? */
export function reviewToken(
  review: KubeObject,
  authenticator: Authenticator,
  defaultAudience: string,
): KubeObject {
  const { token = '', audiences } = (review.spec ?? {}) as { token?: string; audiences?: string[] }
  const requested = audiences && audiences.length > 0 ? audiences : [defaultAudience]
  const verified = authenticator.verifyToken(token, requested)
  if (verified === undefined) {
    return { ...review, status: { user: {}, error: authenticator.tokenProblem(token, requested) } }
  }
  return {
    ...review,
    status: {
      authenticated: true,
      user: userStatus(verified.user),
      audiences: verified.audiences,
    },
  }
}

function decide(spec: ReviewSpec, user: UserInfo, authorizer: Authorizer) {
  const { allowed, reason } = authorizer.decide(user, attributesOf(spec))
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: ReviewSpec): AccessAttributes {
  const { namespace, verb, group, resource, subresource, name } = resourceAttributes ?? {}
  return {
    isResource: resourceAttributes !== undefined,
    verb: verb ?? nonResourceAttributes?.verb ?? '',
    group: group ?? '',
    resource: resource ?? '',
    subresource: subresource ?? '',
    namespace: namespace ?? '',
    name: name ?? '',
    path: nonResourceAttributes?.path ?? '',
  }
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule) {
  return { verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) }
}

function userStatus({ name, uid, groups, extra }: UserInfo) {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    groups,
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  }
}
