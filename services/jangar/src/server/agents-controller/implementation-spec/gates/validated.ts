import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSpec, implementationSpecConditions } from '@agents/jangar-api'

/** Checks what the schema cannot. The schema limits lengths and counts. */
export const validated: GateOf<
  typeof implementationSpecConditions,
  'Validated',
  ImplementationSpec
> = {
  condition: 'Validated',
  check: ({ spec }) => {
    if (isBlank(spec.text)) {
      return stall('MissingText', 'spec.text is empty; describe the work to do')
    }
    const problem = contractProblem(spec)
    if (problem !== undefined) return stall('InvalidContract', problem)
    return pass('Valid', 'the spec is valid')
  },
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
