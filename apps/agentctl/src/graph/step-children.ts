import type { OrchestrationRun } from '@agents/jangar-api'

/** An object that a step of a run has created. */
export interface StepChild {
  /** Such as `implement[1]`, or `outer/inner` for a step of a SubOrchestration. */
  readonly label: string
  /** `AgentRun`, `ToolRun` or `OrchestrationRun`. */
  readonly kind: string
  readonly name: string
  readonly hasEnded: boolean
}

interface Recorded {
  readonly phase?: string | undefined
  readonly attempt?: number | undefined
  readonly resourceRef?: { readonly kind?: string; readonly name?: string } | undefined
}

const ended = ['Succeeded', 'Failed', 'Cancelled', 'Skipped']
const followed = ['AgentRun', 'ToolRun', 'OrchestrationRun']

/** The objects that the steps of a run have created so far, those of earlier attempts included. */
export function stepChildren(
  { status }: Pick<OrchestrationRun, 'status'>,
  above = '',
): StepChild[] {
  return (status?.stepStatuses ?? []).flatMap((step) => {
    const ofUnit = (unit: Recorded & { attempts?: readonly Recorded[] }, name: string) => {
      // What is recorded as an earlier attempt has ended.
      const earlier = (unit.attempts ?? []).map((one) => ({ ...one, phase: 'Failed' }))
      return [...earlier, unit].flatMap((one) => childOf(one, `${above}${name}`))
    }
    const items = step.items ?? []
    return [
      ...ofUnit(step, step.name),
      ...items.flatMap((item) => ofUnit(item, `${step.name}[${item.index}]`)),
    ]
  })
}

function childOf({ phase, attempt = 1, resourceRef }: Recorded, label: string): StepChild[] {
  const { kind, name } = resourceRef ?? {}
  if (kind === undefined || name === undefined || !followed.includes(kind)) return []
  const hasEnded = phase !== undefined && ended.includes(phase)
  return [{ label: attempt > 1 ? `${label} (attempt ${attempt})` : label, kind, name, hasEnded }]
}
