import type { KubeObject } from '@agents/kube'
import { orAborted } from '../abort/or-aborted.ts'
import type { GateContext } from './gate.ts'

/** One thing to do before an object may go, or after a run has ended. It may be repeated, so it finds its work done then. */
export interface Step<T extends KubeObject = KubeObject> {
  readonly name: string
  run(object: T, context: GateContext): Promise<StepResult> | StepResult
}

/** `wait`: not finished; the steps after it wait too. */
export type StepResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'wait'; readonly message: string; readonly retryAfterMs: number }

export const stepDone: StepResult = { kind: 'done' }

export function stepWaits(message: string, retryAfterMs: number): StepResult {
  return { kind: 'wait', message, retryAfterMs }
}

export type StepsResult =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'wait'
      readonly step: string
      readonly message: string
      readonly retryAfterMs: number
    }

/** In order; the first that waits ends the pass. What a step throws is thrown on. */
export async function runSteps<T extends KubeObject>(
  steps: readonly Step<T>[],
  object: T,
  context: GateContext,
): Promise<StepsResult> {
  for (const step of steps) {
    const result = await orAborted(context.signal, async () => step.run(object, context))
    if (result.kind === 'wait') return { ...result, step: step.name }
  }
  return { kind: 'done' }
}

/** All of them, whatever the others say. Milliseconds until the first of those that wait is due. */
export async function runAllSteps<T extends KubeObject>(
  steps: readonly Step<T>[],
  object: T,
  context: GateContext,
): Promise<number | undefined> {
  let dueMs: number | undefined
  for (const step of steps) {
    const result = await orAborted(context.signal, async () => step.run(object, context))
    if (result.kind === 'wait') dueMs = Math.min(dueMs ?? result.retryAfterMs, result.retryAfterMs)
  }
  return dueMs
}
