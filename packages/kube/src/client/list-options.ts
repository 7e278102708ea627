import { acceptProtobuf } from '../protobuf/kubernetes.ts'
import type { Message } from '../protobuf/message.ts'
import type { CallOptions } from '../transport/transport.ts'

/** Selects objects of a kind. If the namespace is omitted, those of all namespaces. */
export interface Scope {
  readonly namespace?: string | undefined
  /** `app=web,tier in (a,b)` */
  readonly labelSelector?: string | undefined
  /** `metadata.name=x` */
  readonly fieldSelector?: string | undefined
}

/** Selects objects, and how much of them is returned. */
export interface View extends Scope {
  /** Requests only apiVersion, kind and metadata, if the server supports that, as current ones do. */
  readonly metadataOnly?: boolean | undefined
  /**
   * Requests protobuf, of which only these fields are decoded, always with the metadata except managedFields. From a
   * server without protobuf for the kind, such as the embedded one, whole objects arrive.
   */
  readonly fields?: Message | undefined
  /** Watched objects may arrive without managedFields, which saves much of the time to parse them. */
  readonly withoutManagedFields?: boolean | undefined
}

export interface ListOptions extends View, CallOptions {
  /** Objects per page. */
  readonly limit?: number | undefined
  readonly continue?: string | undefined
  /** Absent: the current state. `0`: any state that the server has cached. */
  readonly resourceVersion?: string | undefined
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
}

export interface WatchOptions extends View, CallOptions {
  /** The watch starts after this version. Absent: existing objects are sent first, as ADDED. */
  readonly resourceVersion?: string | undefined
  readonly resourceVersionMatch?: 'NotOlderThan' | undefined
  /** Sends existing objects first, followed by a bookmark. */
  readonly sendInitialEvents?: boolean | undefined
  readonly allowWatchBookmarks?: boolean | undefined
  /** The time after which the server ends the watch. */
  readonly timeoutSeconds?: number | undefined
  /** Default 64 MiB. */
  readonly maxLineBytes?: number | undefined
  /** Default: `timeoutSeconds` plus 30 s, or no limit without `timeoutSeconds`. */
  readonly idleMs?: number | undefined
}

/** The query parameters of a list or a watch. */
export function scopeQuery({ labelSelector, fieldSelector }: Scope) {
  return { labelSelector, fieldSelector }
}

/** The Accept header of a read. */
export function acceptOf(
  { metadataOnly = false, fields }: Pick<View, 'metadataOnly' | 'fields'>,
  form: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): string | undefined {
  if (fields !== undefined) return acceptProtobuf
  return metadataOnly
    ? `application/json;as=${form};g=meta.k8s.io;v=v1,application/json`
    : undefined
}
