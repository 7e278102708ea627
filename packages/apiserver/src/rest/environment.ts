import type { Resource, Strategy } from '../registry/resource.ts'
import type { Store } from '../store/store.ts'
import type { Admission } from './admission.ts'
import type { FieldManager } from './field-manager.ts'
import type { NamespaceCheck } from './namespace-check.ts'
import type { Patcher } from './patcher.ts'

/** What the verbs need beside the request. */
export interface RestEnvironment {
  readonly store: Store
  readonly admission: Admission
  /** Absent: managedFields are left alone and server-side apply answers 415. */
  readonly fieldManager: FieldManager | undefined
  readonly patcher: Patcher | undefined
  readonly namespaceState: NamespaceCheck | undefined
}

/** One object of a resource, or its view through a subresource. */
export interface Target {
  readonly resource: Resource
  /** The strategy that the write goes through: the resource's own or its subresource's. */
  readonly strategy: Strategy
  /** Empty for the main resource. */
  readonly subresource: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  /** Empty on create, when the body or generateName decides. */
  readonly name: string
}

export function objectKey(resource: Resource, namespace: string, name: string): string {
  return resource.namespaced
    ? `${resource.storagePrefix}${namespace}/${name}`
    : `${resource.storagePrefix}${name}`
}

/** Where the objects of one namespace, or of all when it is empty, are kept. */
export function listPrefix(resource: Resource, namespace: string): string {
  return resource.namespaced && namespace !== ''
    ? `${resource.storagePrefix}${namespace}/`
    : resource.storagePrefix
}
