import type { Condition, KubeObject } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'

/** The state that a wait ends with. */
export type WaitGoal =
  | { readonly is: 'deleted'; readonly text: string }
  | {
      readonly is: 'condition'
      readonly type: string
      readonly status: string
      readonly text: string
    }

export function parseGoal(text: string): WaitGoal {
  if (text === 'delete') return { is: 'deleted', text: 'the deletion' }
  const [, type, status = 'True'] = /^condition=([^=]+)(?:=([^=]+))?$/.exec(text) ?? []
  if (type !== undefined) {
    const wanted = status.toLowerCase()
    return { is: 'condition', type, status: wanted, text: `condition ${type}=${status}` }
  }
  throw usageFailure(
    `--for must be condition=TYPE, condition=TYPE=STATUS or delete, not ${JSON.stringify(text)}`,
  )
}

/** The current state of an object, for the error of a wait that timed out. */
export function currentState(object: KubeObject | undefined, goal: WaitGoal): string[] {
  if (object === undefined) return []
  const { deletionTimestamp, finalizers = [], name } = object.metadata
  if (goal.is === 'deleted') {
    if (deletionTimestamp === undefined) return ['No deletion was requested.']
    return [
      `It is being deleted, but blocked by ${finalizers.join(', ') || 'the objects that it owns'}.`,
    ]
  }
  const current = conditionOf(object, goal.type)
  return [
    current === undefined
      ? `It has no condition ${goal.type} yet.`
      : `Condition ${current.type} is ${[current.status, reasonsOf(current)].filter(Boolean).join(': ')}`,
    ...(object.kind === 'AgentRun' ? [`For details: agentctl explain run ${name}`] : []),
  ]
}

/** Conditions of pods and other foreign kinds may have neither. */
function reasonsOf({ reason, message }: Partial<Condition>): string {
  return [reason, message].filter(Boolean).join(', ')
}

export function conditionsOf({ status }: KubeObject): readonly Condition[] {
  return (status as { conditions?: Condition[] } | undefined)?.conditions ?? []
}

/** Finds a condition like kubectl does, ignoring case. */
export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return conditionsOf(object).find((each) => each.type.toLowerCase() === type.toLowerCase())
}

/** Whether the condition is about the current spec. */
export function isCurrent({ metadata }: KubeObject, { observedGeneration }: Condition): boolean {
  return observedGeneration === undefined || observedGeneration >= (metadata.generation ?? 0)
}

/** The Stalled condition of an object that needs a change before it can meet the goal. */
export function stallOf(object: KubeObject, goal: WaitGoal): Condition | undefined {
  const stalled = conditionOf(object, 'Stalled')
  if (stalled?.status !== 'True' || !isCurrent(object, stalled)) return undefined
  return goal.is === 'condition' && goal.status === 'true' ? stalled : undefined
}
