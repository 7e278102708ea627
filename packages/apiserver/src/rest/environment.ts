import { limitWork } from '@agents/crd'
import type { Resource } from '../registry/resource.ts'
import type { Strategy } from '../registry/strategy.ts'
import type { UserInfo } from '../request/user-info.ts'
import type { Store, WriteResult } from '../store/store.ts'
import type { Admission } from './admission.ts'
import type { FieldManager } from './field-manager.ts'
import type { NamespaceCheck } from './namespace-check.ts'
import type { Patcher } from './patcher.ts'

/** Dependencies of the verbs. */
export interface RestEnvironment {
  readonly store: Store
  readonly admission: Admission
  /** If omitted, managedFields are not updated and server-side apply is rejected with a 415. */
  readonly fieldManager: FieldManager | undefined
  readonly patcher: Patcher | undefined
  readonly namespaceState: NamespaceCheck | undefined
  /** Called with each completed write. */
  readonly onWrite?: OnWrite
  /** How long a request may block the thread; see `limitWork`. If omitted, there is no limit. */
  readonly workLimitMs?: number
}

/** Who made a write. Each write has a revision of its own, which is the resource version of the written object. */
export interface CompletedWrite {
  readonly revision: number
  readonly user: UserInfo
}

export type OnWrite = (write: CompletedWrite) => void

/** To be called with the result of each write to the store that a request makes. */
export function reportWrite(
  { onWrite }: Pick<RestEnvironment, 'onWrite'>,
  { user }: { readonly user: UserInfo },
  { type, revision }: Pick<WriteResult, 'type' | 'revision'>,
): void {
  if (type !== 'UNCHANGED') onWrite?.({ revision, user })
}

/** Runs a synchronous part of a request with the work limit. */
export function limited<T>({ workLimitMs }: RestEnvironment, work: () => T): T {
  return workLimitMs === undefined ? work() : limitWork(workLimitMs, work)
}

/** The object that a write is about, possibly through a subresource. */
export interface Target {
  readonly resource: Resource
  /** The strategy of the resource or subresource. */
  readonly strategy: Strategy
  /** Empty for the main resource. */
  readonly subresource: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  /** Empty on create, since the name is in the body or generated. */
  readonly name: string
}

export function objectKey(resource: Resource, namespace: string, name: string): string {
  return resource.namespaced
    ? `${resource.storagePrefix}${namespace}/${name}`
    : `${resource.storagePrefix}${name}`
}

/** The key prefix of the objects in a namespace, or of all objects if it is empty. */
export function listPrefix(resource: Resource, namespace: string): string {
  return resource.namespaced && namespace !== ''
    ? `${resource.storagePrefix}${namespace}/`
    : resource.storagePrefix
}
