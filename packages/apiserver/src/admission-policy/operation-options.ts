import type { RequestContext } from '../request/request-context.ts'
import type { AdmissionAttributes } from '../rest/admission.ts'
import type { DeleteOptions } from '../rest/delete-options.ts'

const kinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions' } as const

/** `request.options`: the options in the query of a write. Connections have none. */
export function operationOptions({
  operation,
  context,
  deleteOptions,
}: AdmissionAttributes): object | undefined {
  if (operation === 'CONNECT') return undefined
  if (operation === 'DELETE') {
    return { ...typed('DeleteOptions'), ...deletion(deleteOptions ?? { dryRun: context.dryRun }) }
  }
  return { ...typed(kinds[operation]), ...writing(context) }
}

function typed(kind: string): object {
  return { kind, apiVersion: 'meta.k8s.io/v1' }
}

/** Omits the default of `fieldValidation`. */
function writing({ dryRun, fieldManager = '', fieldValidation }: RequestContext): object {
  return {
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation === 'Warn' ? {} : { fieldValidation }),
  }
}

function deletion({ dryRun, preconditions, ...rest }: DeleteOptions): object {
  return {
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(preconditions === undefined || Object.keys(preconditions).length === 0
      ? {}
      : { preconditions }),
    ...rest,
  }
}
