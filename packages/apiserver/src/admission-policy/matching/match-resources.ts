import type { KubeObject } from '@agents/kube'
import type { Registry } from '../../registry/registry.ts'
import type { Resource } from '../../registry/resource.ts'
import type { AdmittedKind } from '../../rest/admission.ts'
import { type LabelSelectorObject, selectsLabels } from '../../selector/label-selector-object.ts'
import { notFound } from '../../status/api-error.ts'
import type { Store } from '../../store/store.ts'
import type { MatchResources, ResourceRule } from '../policy-objects.ts'
import { isNamespace, type PolicyRequest } from '../policy-request.ts'
import { nameMatches, ruleMatches } from './rules.ts'

/** The version that the rules of a policy matched. Its expressions see the objects in this version. */
export interface Match {
  readonly resource: Resource
  readonly kind: AdmittedKind
}

export interface Matcher {
  /** Throws an ApiError when the namespace of a request that would match does not exist. */
  match(constraints: MatchResources, request: PolicyRequest): Match | undefined
}

export function createMatcher(registry: Registry, store: Store): Matcher {
  return {
    match(constraints, request) {
      const { objectSelector = {}, namespaceSelector = {} } = constraints
      if (!objectMatches(objectSelector, request)) return undefined
      const inNamespace = namespaceMatches(namespaceSelector, request, store)
      if (inNamespace === false) return undefined
      const { matchPolicy, excludeResourceRules = [], resourceRules = [] } = constraints
      const find = (rules: readonly ResourceRule[]): Match | undefined =>
        matchRules(rules, matchPolicy, request, registry)
      if (find(excludeResourceRules) !== undefined) return undefined
      const found =
        resourceRules.length === 0
          ? { resource: request.resource, kind: request.kind }
          : find(resourceRules)
      if (found === undefined) return undefined
      if (inNamespace === undefined) {
        throw notFound({ group: '', plural: 'namespaces' }, request.namespace)
      }
      return found
    },
  }
}

function matchRules(
  rules: readonly ResourceRule[],
  matchPolicy: MatchResources['matchPolicy'],
  request: PolicyRequest,
  registry: Registry,
): Match | undefined {
  const { resource, kind } = request
  const exact = rules.some(
    (rule) => ruleMatches(rule, request, resource) && nameMatches(rule, request),
  )
  if (exact) return { resource, kind }
  if (matchPolicy !== 'Equivalent') return undefined
  for (const rule of rules) {
    if (!nameMatches(rule, request)) continue
    for (const other of registry.all()) {
      if (!isEquivalent(other, request) || !ruleMatches(rule, request, other)) continue
      return { resource: other, kind: request.subresource === '' ? other : kindIn(other, request) }
    }
  }
  return undefined
}

/** Resources that serve the same objects in another version or group. */
function isEquivalent(other: Resource, { resource, subresource }: PolicyRequest): boolean {
  if (other === resource || other.storagePrefix !== resource.storagePrefix) return false
  if (other.group === resource.group && other.version === resource.version) return false
  return subresource === '' || other.subresources.has(subresource)
}

/** The kind of a subresource's body, in the version of `other` if it is the resource's own kind. */
function kindIn(other: Resource, { resource, kind }: PolicyRequest): AdmittedKind {
  return kind.kind === resource.kind ? other : kind
}

function objectMatches(
  selector: LabelSelectorObject,
  { object, old }: Pick<PolicyRequest, 'object' | 'old'>,
): boolean {
  if (isEmpty(selector)) return true
  return [object, old].some((one) => one !== undefined && selectsLabels(selector, labelsOf(one)))
}

/**
 * Reports whether the request's namespace matches; undefined if it does not exist. Cluster-scoped objects always match.
 */
function namespaceMatches(
  selector: LabelSelectorObject,
  request: PolicyRequest,
  store: Store,
): boolean | undefined {
  if (request.namespace === '' && !isNamespace(request.resource)) return true
  if (isEmpty(selector)) return true
  const { operation, object, subresource } = request
  const isWritten = operation === 'CREATE' || operation === 'UPDATE'
  if (isNamespace(request.resource) && subresource === '' && isWritten && object !== undefined) {
    return selectsLabels(selector, labelsOf(object))
  }
  const namespace = store.get(`/core/namespaces/${request.namespace}`)?.value
  return namespace === undefined ? undefined : selectsLabels(selector, labelsOf(namespace))
}

/** Labels of an object. The options of connections have no metadata. */
function labelsOf(object: KubeObject): Readonly<Record<string, string>> {
  const { metadata } = object as Partial<KubeObject>
  return metadata?.labels ?? {}
}

function isEmpty({ matchLabels, matchExpressions }: LabelSelectorObject): boolean {
  return Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0
}
