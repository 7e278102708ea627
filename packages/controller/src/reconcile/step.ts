import type { KubeObject } from '@agents/kube'
import { orAborted } from '../abort/or-aborted.ts'
import type { GateContext } from './gate.ts'

/** One step of a finalizer, or after the end of a run. It may run again, so it must be idempotent. */
export interface Step<T extends KubeObject = KubeObject> {
  readonly name: string
  run(object: T, context: GateContext): Promise<StepResult> | StepResult
}

/** `wait`: not finished; the later steps wait too. */
type StepResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'wait'; readonly message: string; readonly retryAfterMs: number }

export const stepDone: StepResult = { kind: 'done' }

export function stepWaits(message: string, retryAfterMs: number): StepResult {
  return { kind: 'wait', message, retryAfterMs }
}

type StepsResult =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'wait'
      readonly step: string
      readonly message: string
      readonly retryAfterMs: number
    }

/** Runs the steps in order, up to the first that waits. Errors of a step are rethrown. */
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

/** Runs all steps, also after one that waits. Returns the milliseconds until the first waiting step is due. */
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
