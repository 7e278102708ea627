import { isJsonObject, type JsonObject, ownValue, setOwnValue } from '../../schema/json-value.ts'
import type { Json } from '../../schema/schema.ts'
import type {
  AuthorizationUser,
  PolicyAuthorizer,
} from '../library/authorizer/policy-authorizer.ts'

/** The values that the expressions of a policy can access. */
export interface AdmissionInput {
  /** Null if the operation has none: `object` on deletion, `oldObject` on creation. */
  readonly object: Json
  readonly oldObject: Json
  readonly request: AdmissionRequest
  /** Null if a policy with `paramKind` has no parameters for this binding. Omitted if the policy has no `paramKind`. */
  readonly params?: Json
  /** The Namespace of the object; null for cluster-scoped objects and in match conditions. */
  readonly namespaceObject: Json
  /** Omitted in message expressions and audit annotations, which may not use it. */
  readonly authorizer?: PolicyAuthorizer
}

/** The admission request. Expressions do not see empty fields. */
export interface AdmissionRequest {
  /** The kind or resource in the version that the policy matches. */
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subResource: string
  /** The kind or resource of the original request. */
  readonly requestKind: GroupVersionKind
  readonly requestResource: GroupVersionResource
  readonly requestSubResource: string
  readonly name: string
  readonly namespace: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly userInfo: AuthorizationUser
  readonly dryRun: boolean
  /** CreateOptions, UpdateOptions and so on, with `kind` and `apiVersion`; null if there are none. */
  readonly options: Json
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/**
 * The request as upstream serializes it: without empty fields, and with null for `object` and `oldObject`. Shares parts
 * with `request`.
 */
export function requestJson(request: AdmissionRequest): JsonObject {
  const shared = request as unknown as Readonly<Record<keyof AdmissionRequest, JsonObject>>
  const json: JsonObject = {
    uid: '',
    kind: shared.kind,
    resource: shared.resource,
    requestKind: shared.requestKind,
    requestResource: shared.requestResource,
    operation: request.operation,
    userInfo: userJson(request.userInfo),
    object: null,
    oldObject: null,
    dryRun: request.dryRun,
    options: request.options,
  }
  for (const field of textFields) if (request[field] !== '') json[field] = request[field]
  return json
}

const textFields = ['subResource', 'requestSubResource', 'name', 'namespace'] as const

function userJson(user: AuthorizationUser): JsonObject {
  const json: JsonObject = {}
  if (user.username !== '') json.username = user.username
  if (user.uid) json.uid = user.uid
  if (user.groups.length > 0) json.groups = [...user.groups]
  const extra: JsonObject = {}
  for (const [key, values] of Object.entries(user.extra ?? {})) {
    setOwnValue(extra, key, [...values])
  }
  if (Object.keys(extra).length > 0) json.extra = extra
  return json
}

const namespaceMetadata = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
]

/** The part of a Namespace that expressions can access. */
export function namespaceJson(namespace: Json): Json {
  if (!isJsonObject(namespace)) return null
  const metadata: JsonObject = {}
  const all = namespace.metadata
  if (isJsonObject(all)) {
    for (const name of namespaceMetadata) {
      const value = ownValue(all, name)
      if (value !== undefined) metadata[name] = value
    }
  }
  return { metadata, spec: namespace.spec ?? {}, status: namespace.status ?? {} }
}
