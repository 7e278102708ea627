import type { Condition, KubeObject } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'

/** What an object is waited for to become. */
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

/** For those who have waited in vain. */
export function whereItStands(object: KubeObject | undefined, goal: WaitGoal): string[] {
  if (object === undefined) return []
  const { deletionTimestamp, finalizers = [], name } = object.metadata
  if (goal.is === 'deleted') {
    if (deletionTimestamp === undefined) return ['Nobody has asked for it.']
    return [`It is being deleted, and kept by ${finalizers.join(', ') || 'what it owns'}.`]
  }
  const current = conditionOf(object, goal.type)
  return [
    current === undefined
      ? `It has no condition ${goal.type} yet.`
      : `It says ${[current.status, reasonsOf(current)].filter(Boolean).join(': ')}`,
    ...(object.kind === 'AgentRun' ? [`agentctl explain run ${name} says more.`] : []),
  ]
}

/** Those of pods and others that are not ours may lack both. */
function reasonsOf({ reason, message }: Partial<Condition>): string {
  return [reason, message].filter(Boolean).join(', ')
}

export function conditionsOf({ status }: KubeObject): readonly Condition[] {
  return (status as { conditions?: Condition[] } | undefined)?.conditions ?? []
}

/** As kubectl finds it: in any case. */
export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return conditionsOf(object).find((each) => each.type.toLowerCase() === type.toLowerCase())
}
