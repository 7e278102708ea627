import {
  type AdmissionRequest,
  type Json,
  type PolicyAuthorizer,
  type PolicyInput,
  policyInput,
  withoutNamespace,
} from '@agents/crd'
import { formatApiVersion, type KubeObject } from '@agents/kube'
import type { Resource } from '../../registry/resource.ts'
import { responseEntry } from '../../rest/response-object.ts'
import { notFound } from '../../status/api-error.ts'
import type { Store } from '../../store/store.ts'
import type { Match } from '../matching/match-resources.ts'
import { isNamespace, type PolicyRequest } from '../policy-request.ts'

/** The request as an expression sees it, in the version that the policy's rules matched. */
function admissionRequest(request: PolicyRequest, match: Match): AdmissionRequest {
  if (!isOwn(request, match)) return describeRequest(request, match)
  request.seen.own ??= describeRequest(request, match)
  return request.seen.own
}

/** Reports whether a policy matched the version of the request itself, as is usual. */
function isOwn(request: PolicyRequest, { resource, kind }: Match): boolean {
  return resource === request.resource && kind === request.kind
}

function describeRequest(request: PolicyRequest, { resource, kind }: Match): AdmissionRequest {
  const { context } = request
  const { user } = context
  return {
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource: resourceOf(resource),
    subResource: request.subresource,
    requestKind: {
      group: request.kind.group,
      version: request.kind.version,
      kind: request.kind.kind,
    },
    requestResource: resourceOf(request.resource),
    requestSubResource: request.subresource,
    name: request.name,
    namespace: request.namespace,
    operation: request.operation,
    userInfo: {
      username: user.name,
      uid: user.uid ?? '',
      groups: user.groups,
      extra: user.extra ?? {},
    },
    dryRun: context.dryRun,
    options: (request.options ?? null) as Json,
  }
}

/** The authorizer and the Namespace are the same for all policies of a request. */
export interface InputParts {
  readonly request: PolicyRequest
  readonly match: Match
  readonly namespaceObject: KubeObject | undefined
  readonly authorizer: PolicyAuthorizer
  readonly hasParams: boolean
  readonly params: KubeObject | undefined
}

/** The input of validations and mutations. Shared by all policies that see the same. */
export function evaluationInput(parts: InputParts): PolicyInput {
  if (!isShared(parts)) return inputOf(parts, admissionRequest(parts.request, parts.match), true)
  const { seen } = parts.request
  seen.input ??= inputOf(parts, admissionRequest(parts.request, parts.match), true)
  return seen.input
}

/** The input of match conditions, which have no `namespaceObject` and see the resource of the request itself. */
export function conditionsInput(parts: InputParts): PolicyInput {
  const { request, match } = parts
  if (!isShared(parts)) {
    const seen = admissionRequest(request, { ...match, resource: request.resource })
    return withoutNamespace(inputOf(parts, seen, true))
  }
  request.seen.conditionsInput ??= withoutNamespace(evaluationInput(parts))
  return request.seen.conditionsInput
}

/** The input of messages and audit annotations, which cannot use the authorizer. */
export function inputWithoutAuthorizer(parts: InputParts): PolicyInput {
  return inputOf(parts, admissionRequest(parts.request, parts.match), false)
}

function isShared({ request, match, hasParams }: InputParts): boolean {
  return !hasParams && isOwn(request, match)
}

function inputOf(
  { request, match, hasParams, params, namespaceObject, authorizer }: InputParts,
  seen: AdmissionRequest,
  hasAuthorizer: boolean,
): PolicyInput {
  return policyInput({
    object: json(inVersion(request.object, request, match)),
    oldObject: json(inVersion(request.old, request, match)),
    request: seen,
    ...(hasParams ? { params: json(params) } : {}),
    namespaceObject: json(namespaceObject),
    ...(hasAuthorizer ? { authorizer } : {}),
  })
}

/** The Namespace of the object; undefined for cluster-scoped objects, including Namespaces. */
export function namespaceObject(request: PolicyRequest, store: Store): KubeObject | undefined {
  if (request.namespace === '' || isNamespace(request.resource)) return undefined
  const entry = store.get(`/core/namespaces/${request.namespace}`)
  if (entry === undefined) throw notFound({ group: '', plural: 'namespaces' }, request.namespace)
  return entry.value
}

/** Converts an object to the version that a policy matched, if that differs from the version of the request. */
export function inVersion(
  object: KubeObject | undefined,
  request: PolicyRequest,
  match: Match,
): KubeObject | undefined {
  if (object === undefined || match.resource === request.resource) return object
  // Scales and Evictions do not depend on the version of their parent.
  if (request.kind.kind !== request.resource.kind) return object
  return converted(object, request.resource, match.resource)
}

/** Converts through the stored form, as if the object had been written in one version and read in the other. */
export function converted(object: KubeObject, from: Resource, to: Resource): KubeObject {
  const stored = from.toStorage === undefined ? object : from.toStorage(object)
  const value = { ...stored, apiVersion: formatApiVersion(to), kind: to.kind }
  if (to.fromStorage === undefined) return value
  const entry = {
    key: '',
    // Newer than any schema change, since the object was just written.
    revision: Number.MAX_SAFE_INTEGER,
    value: stored,
    get json() {
      return Buffer.alloc(0)
    },
  }
  return { ...responseEntry(to, entry).value, apiVersion: formatApiVersion(to), kind: to.kind }
}

function resourceOf({ group, version, plural }: Resource) {
  return { group, version, resource: plural }
}

function json(object: KubeObject | undefined): Json {
  return (object ?? null) as Json
}
