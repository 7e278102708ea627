import type { CallOptions } from './transport.ts'

export interface WriteOptions extends CallOptions {
  /** The part of the object that is written: `status`, `scale`. */
  readonly subresource?: string | undefined
  /** Under whose name ownership of fields is kept. Default: the client's. */
  readonly fieldManager?: string | undefined
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  /** Checks everything and keeps nothing. */
  readonly dryRun?: boolean | undefined
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields over from other managers instead of failing with a conflict. Default true. */
  readonly force?: boolean | undefined
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number | undefined
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined
  /** Another object of that name, or another state of it, is a conflict. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined
  readonly dryRun?: boolean | undefined
}

export type Patch =
  /** RFC 7396. Guarded when it holds `metadata.resourceVersion`. */
  | { readonly type: 'merge'; readonly body: object }
  /** RFC 6902. */
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }
  /** For the kinds of Kubernetes itself; custom ones answer 415. */
  | { readonly type: 'strategic'; readonly body: object }

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string }

export const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

/** In the names of the API. */
export function writeQuery(options: WriteOptions, fieldManager: string | undefined) {
  return {
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === true ? 'All' : undefined,
  }
}

/** The body of a DELETE; undefined when the server's defaults will do. */
export function deleteBody(options: DeleteOptions): object | undefined {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options
  const body = {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(preconditions !== undefined && { preconditions }),
    ...(dryRun === true && { dryRun: ['All'] }),
  }
  if (Object.keys(body).length === 0) return undefined
  return { apiVersion: 'v1', kind: 'DeleteOptions', ...body }
}
