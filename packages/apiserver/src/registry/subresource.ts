import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KubeObject } from '@agents/kube'
import type { RequestContext } from '../rest/request-context.ts'
import type { Decoding, Resource, Strategy } from './resource.ts'

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

/** The parent object itself, written under other rules: status, finalize, approval, ephemeralcontainers. */
export interface ViewSubresource extends SubresourceBase {
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
  /** Of the object that is sent, which is of another kind than the parent. */
  readonly decoding: Decoding
  /** Versions of it (`policy/v1beta1`) that are taken for the one of the path. */
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
  connect(
    target: { resource: Resource; namespace: string; name: string; query: URLSearchParams },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>
}
