import type { ApiObject } from '@agents/client'
import type { Condition } from '../parts/run-object.ts'

export const targetKind = 'gittargets.gitops.proompteng.ai'

interface Mirror {
  readonly spec: {
    readonly providerRef?: { readonly name?: string }
    readonly branch?: string
    readonly path?: string
    readonly suspend?: boolean
  }
  readonly status: {
    readonly conditions?: readonly Condition[]
    readonly encryption?: { readonly mode?: string }
    readonly snapshot?: {
      readonly lastCompletedTime?: string
      readonly retainedFiles?: number
      readonly driftedFiles?: number
      readonly stats?: {
        readonly created?: number
        readonly updated?: number
        readonly deleted?: number
      }
    }
    readonly stream?: {
      readonly status?: string
      readonly total?: number
      readonly live?: number
      readonly lastEventTime?: string
    }
    readonly push?: {
      readonly lastCommit?: string
      readonly lastPushTime?: string
      readonly pendingChanges?: number
      readonly lastError?: string
    }
  }
}

/** The parts of a GitTarget that pages show. */
export function mirrorOf({ spec, status }: ApiObject): Mirror {
  return { spec: spec ?? {}, status: status ?? {} } as Mirror
}
