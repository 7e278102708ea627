import type { CallOptions } from './transport.ts'

/** Which objects of a kind. Without a namespace those of all namespaces. */
export interface Scope {
  readonly namespace?: string | undefined
  /** `app=web,tier in (a,b)` */
  readonly labelSelector?: string | undefined
  /** `metadata.name=x` */
  readonly fieldSelector?: string | undefined
}

/** Which objects, and how much of them. */
export interface View extends Scope {
  /** Nothing but apiVersion, kind and metadata, where the server can leave the rest out, as all of today do. */
  readonly metadataOnly?: boolean | undefined
}

export interface ListOptions extends View, CallOptions {
  /** Objects a page. */
  readonly limit?: number | undefined
  readonly continue?: string | undefined
  /** Absent: as of now. `0`: whatever the server has at hand. */
  readonly resourceVersion?: string | undefined
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
}

export interface WatchOptions extends View, CallOptions {
  /** After which to begin. Absent: with the present objects, as ADDED. */
  readonly resourceVersion?: string | undefined
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined
  /** Present objects first, and a bookmark that says where they end. */
  readonly sendInitialEvents?: boolean | undefined
  readonly allowWatchBookmarks?: boolean | undefined
  /** After which the server is to end the watch. */
  readonly timeoutSeconds?: number | undefined
  /** Default 64 MiB. */
  readonly maxLineBytes?: number | undefined
  /** Default: the server's time and half a minute, or without one no limit. */
  readonly idleMs?: number | undefined
}

/** The query of a list or a watch, in the names of the API. */
export function scopeQuery({ labelSelector, fieldSelector }: Scope) {
  return { labelSelector, fieldSelector }
}

/** The Accept header of a list or a watch. */
export function acceptOf(
  { metadataOnly = false }: View,
  form: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): string | undefined {
  return metadataOnly
    ? `application/json;as=${form};g=meta.k8s.io;v=v1,application/json`
    : undefined
}
