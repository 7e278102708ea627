import type { ApiObject } from '@agents/client'
import type { Condition } from './run-object.ts'

interface ObjectState {
  readonly phase: string
  readonly message: string | undefined
}

/** How an object is, in a word: its phase, or what its summary condition says. */
export function objectState({ status }: ApiObject): ObjectState {
  const { phase, conditions = [] } = (status ?? {}) as {
    readonly phase?: string
    readonly conditions?: readonly Condition[]
  }
  const summary = conditions.find(({ type }) => type === 'Ready' || type === 'Succeeded')
  const isStalled = conditions.some(({ type, status: is }) => type === 'Stalled' && is === 'True')
  const word =
    summary === undefined
      ? 'Unknown'
      : summary.status === 'True'
        ? 'Ready'
        : isStalled
          ? 'Stalled'
          : 'Pending'
  return { phase: phase ?? word, message: summary?.message }
}
