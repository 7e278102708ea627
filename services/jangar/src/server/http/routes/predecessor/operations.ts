import type { Caller } from '../../../api/access/caller.ts'
import { invoke } from '../../mcp/invoke.ts'
import type { RouteCall } from '../../mcp/tools.ts'
import type { Answer, Route } from '../../route.ts'

interface OperationAnswer<T> {
  readonly status: number
  readonly json: T
}

/** Calls an operation of the API as the caller. */
export type CallOperation = <T>(
  caller: Caller,
  request: RouteCall,
  signal: AbortSignal,
) => Promise<OperationAnswer<T>>

/**
 * The operations that the paths of the predecessor translate to. What the caller may do is decided there. The audit has
 * one entry for each request, that of its own path.
 */
export function operationsOf(routes: readonly Route[]): CallOperation {
  return async <T>(caller: Caller, request: RouteCall, signal: AbortSignal) => {
    const answer = await invoke({ routes, noteAct: undefined }, caller, request, signal)
    return { status: answer.status ?? 200, json: await jsonOf<T>(answer) }
  }
}

async function jsonOf<T>(answer: Answer): Promise<T> {
  if ('json' in answer) return answer.json as T
  if ('text' in answer) return JSON.parse(answer.text) as T
  throw new TypeError('the answer is not JSON')
}
