import type { CallOptions } from '../transport/transport.ts'

export interface WriteOptions extends CallOptions {
  /** The part of the object that is written: `status`, `scale`. */
  readonly subresource?: string | undefined
  /** The field manager. Default: the client's. */
  readonly fieldManager?: string | undefined
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  /** Validates the request without persisting it. */
  readonly dryRun?: boolean | undefined
}

export interface ApplyOptions extends WriteOptions {
  /** Takes over fields of other managers instead of failing with a conflict. Default true. */
  readonly force?: boolean | undefined
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number | undefined
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined
  /** Fails with a conflict if the object of that name has another uid or resource version. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined
  readonly dryRun?: boolean | undefined
}

export type Patch =
  /** RFC 7396. Guarded if it contains `metadata.resourceVersion`. */
  | { readonly type: 'merge'; readonly body: object }
  /** RFC 6902. */
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }
  /** For built-in kinds only; custom resources answer 415. */
  | { readonly type: 'strategic'; readonly body: object }

type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string }

export const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

/** The query parameters of a write. */
export function writeQuery(options: WriteOptions, fieldManager: string | undefined) {
  return {
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === true ? 'All' : undefined,
  }
}

/** The body of a DELETE; undefined if the server's defaults apply. */
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
