import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { RequestContext } from '../request/request-context.ts'
import type { Entry } from '../store/store.ts'
import type { Decoding, Strategy } from './strategy.ts'

/** One resource in one version, as it is served: `/apis/<group>/<version>/<plural>`. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  /** The kind that Invalid errors name, if it is a different one. */
  readonly refusedAs?: { readonly group: string; readonly kind: string }
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** The verbs that discovery lists. Requests with other verbs get a 405. */
  readonly verbs: readonly string[]
  /** `/<group or core>/<resource>/`; all versions of one resource share it. */
  readonly storagePrefix: string
  readonly schema: Schema
  readonly isCustom: boolean
  readonly subresources: ReadonlyMap<string, Subresource>
  readonly strategy: Strategy
  /** Printer columns of a custom resource. Built-in kinds have printers instead. */
  readonly columns: readonly TableColumn[] | undefined
  /** Hash that discovery publishes for the storage version. */
  readonly storageVersionHash?: string
  readonly deprecated?: { readonly warning: string }
  /** The definition is being deleted: objects can be deleted but not created. */
  readonly isTerminating?: boolean
  /**
   * Value of a selectable field; `undefined` (400) for others. `metadata.name` and `metadata.namespace` are handled
   * before.
   */
  selectableField?(object: KubeObject, path: string): string | undefined
  readonly selectableFields?: readonly string[]
  /** Message of the error for a selector on any other field. */
  unknownFieldMessage?(path: string): string

  /**
   * Converts the stored entry to this version. Returns the same entry if nothing differs, so that its cached bytes are
   * served. If omitted, the served form is the stored one.
   */
  readonly fromStorage?: (entry: Entry) => Entry
  /** Converts an object of this version to its stored form. Must not mutate its argument. */
  readonly toStorage?: (object: KubeObject) => KubeObject

  /**
   * Converts entries in one go, so that `fromStorage` has their result. If set, `fromStorage` and `toStorage` throw
   * `ConversionPending` for what has not been converted.
   */
  readonly convertAll?: (entries: readonly Entry[]) => Promise<void>

  /** Must be awaited before the strategy is used for a write. */
  readonly beforeWrite?: () => Promise<void>

  /** Answers a create for a resource without storage, such as access reviews. */
  readonly createVirtual?: (
    object: KubeObject,
    context: RequestContext,
  ) => KubeObject | Promise<KubeObject>
}

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

/** Something below one object: `/widgets/x/status`. */
export type Subresource = ViewSubresource | ScaleSubresource | ActionSubresource | StreamSubresource

interface SubresourceBase {
  readonly name: string
  /** The kind that discovery lists for it, with its own group and version when they differ from the parent's. */
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly string[]
}

/** The parent object, written with a different strategy: status, finalize, approval, ephemeralcontainers. */
interface ViewSubresource extends SubresourceBase {
  readonly type: 'view'
  readonly strategy: Strategy
}

/** autoscaling/v1 Scale, computed from fields of the parent. Paths are like `.spec.replicas`. */
export interface ScaleSubresource extends SubresourceBase {
  readonly type: 'scale'
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
  /** Built-ins hold a LabelSelector object or a map there; a custom resource holds its text form. */
  readonly selectorIsText: boolean
}

/** POST of one object that does something: token, eviction, binding. */
export interface ActionSubresource extends SubresourceBase {
  readonly type: 'action'
  /** How the body is decoded, whose kind differs from that of the parent. */
  readonly decoding: Decoding
  /** Other versions of the body's kind (`policy/v1beta1`) that are accepted. */
  readonly alsoTakes?: readonly string[]
  create(request: ActionRequest): Promise<KubeObject>
}

export interface ActionRequest {
  readonly resource: Resource
  readonly namespace: string
  readonly name: string
  readonly body: KubeObject
  readonly context: RequestContext
}

/** Takes over the connection: log, exec, attach, portforward, proxy. */
export interface StreamSubresource extends SubresourceBase {
  readonly type: 'stream'
  /** A verb that the user must be allowed, whichever method the request has: WebSockets begin with a GET. */
  readonly alwaysNeeds?: string
  /** The options object that goes through admission. If omitted, the stream is a plain read. */
  connectOptions?(query: URLSearchParams): KubeObject
  connect(
    target: { resource: Resource; namespace: string; name: string; query: URLSearchParams },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>
}
