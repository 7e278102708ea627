import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { RequestContext } from './request-context.ts'

export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly resource: Resource
  /** Empty for the main resource. */
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Absent on delete. `admit` may mutate it. */
  readonly object: KubeObject | undefined
  readonly old: KubeObject | undefined
  readonly context: RequestContext
}

/** Plugins between decoding and storage. Synchronous, because they run inside the store's write; they refuse by throwing an ApiError. */
export interface Admission {
  /** May change `object`; before defaults are final and before validation. */
  admit(attributes: AdmissionAttributes): void
  /** After validation of the object; may only refuse. */
  validate(attributes: AdmissionAttributes): void
}

export const noAdmission: Admission = {
  admit: () => undefined,
  validate: () => undefined,
}

/** One admission made of several, in order. */
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
