import type { AdmissionRequest, PolicyInput } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { AdmissionAttributes, AdmittedKind } from '../rest/admission.ts'
import { scaleOf } from '../rest/scale.ts'
import { operationOptions } from './operation-options.ts'
import type { Operation } from './policy-objects.ts'

/** A request as evaluated by policies. */
export interface PolicyRequest {
  readonly operation: Operation
  readonly resource: Resource
  /** Empty for the main resource. */
  readonly subresource: string
  /** The kind of the objects: that of the resource, or of its subresource's body (Scale, Eviction). */
  readonly kind: AdmittedKind
  /** For a Namespace, its own name. */
  readonly namespace: string
  /** Empty if the name has not been generated yet, and for the objects of a deletecollection. */
  readonly name: string
  readonly object: KubeObject | undefined
  readonly old: KubeObject | undefined
  readonly context: RequestContext
  readonly options: object | undefined
  /** What expressions see of the request in its own version, made when it is first needed. */
  readonly seen: SeenRequest
}

interface SeenRequest {
  own?: AdmissionRequest
  /** Inputs without params, which all policies share. */
  input?: PolicyInput
  conditionsInput?: PolicyInput
}

export function policyRequest(attributes: AdmissionAttributes): PolicyRequest {
  const { operation, resource, subresource, name, context } = attributes
  const target = resource.subresources.get(subresource)
  const scale = target?.type === 'scale' ? target : undefined
  const requestView = (object: KubeObject | undefined): KubeObject | undefined =>
    object === undefined || scale === undefined ? object : scaleOf(scale, object)
  return {
    operation,
    resource,
    subresource,
    kind: scale === undefined ? (attributes.kind ?? resource) : scaleKind,
    namespace: isNamespace(resource) ? name : attributes.namespace,
    name,
    object: requestView(attributes.object),
    old: requestView(attributes.old),
    context,
    options: operationOptions(attributes),
    seen: {},
  }
}

const scaleKind: AdmittedKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

export function isNamespace({ group, plural }: Pick<Resource, 'group' | 'plural'>): boolean {
  return group === '' && plural === 'namespaces'
}
