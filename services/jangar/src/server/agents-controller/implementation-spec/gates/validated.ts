import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSpec, implementationSpecConditions } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'

/** The fields of the status about the import. */
interface ImportDetail {
  readonly sourceVersion?: string | undefined
  readonly syncedAt?: string | undefined
}

/** Checks what the schema cannot. The schema limits lengths and counts. */
export const validated: GateOf<
  typeof implementationSpecConditions,
  'Validated',
  ImplementationSpec,
  ImportDetail
> = {
  condition: 'Validated',
  check: ({ spec, status }, _detail, { now }) => {
    if (isBlank(spec.text)) {
      return stall('MissingText', 'spec.text is empty; describe the work to do')
    }
    const problem = contractProblem(spec)
    if (problem !== undefined) return stall('InvalidContract', problem)
    return pass('Valid', 'the spec is valid', {
      detail: importOf(spec.source?.version, status, now),
    })
  },
}

/** When the version that the source has written was seen first. */
function importOf(
  sourceVersion: string | undefined,
  status: ImplementationSpec['status'],
  now: Date,
): ImportDetail {
  if (sourceVersion === undefined) return {}
  const isKnown = status?.sourceVersion === sourceVersion && status.syncedAt !== undefined
  return { sourceVersion, syncedAt: isKnown ? status.syncedAt : rfc3339(now) }
}

function contractProblem({ contract }: ImplementationSpec['spec']): string | undefined {
  const key = contract?.requiredKeys?.findIndex(isBlank) ?? -1
  if (key !== -1) return `spec.contract.requiredKeys[${key}] is blank`
  const mapping =
    contract?.mappings?.findIndex(({ from, to }) => isBlank(from) || isBlank(to)) ?? -1
  return mapping === -1 ? undefined : `spec.contract.mappings[${mapping}] lacks from or to`
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
