import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { DeleteOptions } from './delete-options.ts'

/** Group, version and kind of an admitted object. */
export interface AdmittedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly resource: Resource
  /** Empty for the main resource. */
  readonly subresource: string
  /** The kind of `object` if it differs from that of the resource, such as Eviction or TokenRequest. */
  readonly kind?: AdmittedKind
  readonly namespace: string
  /** Empty in `admit` if the name has not been generated yet, and for the objects of a deletecollection. */
  readonly name: string
  /** Absent on delete. `admit` may mutate it. */
  readonly object: KubeObject | undefined
  readonly old: KubeObject | undefined
  readonly context: RequestContext
  /** The options of a delete. */
  readonly deleteOptions?: DeleteOptions
}

/**
 * A plugin between decoding and storage. Synchronous, since it runs inside the store's write. Rejects a request by
 * throwing an ApiError.
 */
export interface Admission {
  /** Runs before validation and may mutate `object`. */
  admit(attributes: AdmissionAttributes): void
  /** Runs after validation and must not mutate `object`. */
  validate(attributes: AdmissionAttributes): void
}

export const noAdmission: Admission = {
  admit: () => undefined,
  validate: () => undefined,
}

/** Combines plugins, which run in order. */
export function admissionChain(plugins: readonly Admission[]): Admission {
  return {
    admit: (attributes) => {
      for (const plugin of plugins) plugin.admit(attributes)
    },
    validate: (attributes) => {
      for (const plugin of plugins) plugin.validate(attributes)
    },
  }
}
