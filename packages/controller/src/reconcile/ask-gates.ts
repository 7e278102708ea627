import type { KubeObject } from '@agents/kube'
import { redact } from '@agents/log'
import type { GateDeclaration, RunVerdict } from '@agents/status'
import { orAborted } from '../abort/or-aborted.ts'
import type { Gate, GateContext } from './gate.ts'
import { ReconcileTimeout } from './reconcile-timeout.ts'
import { isRun, type Reconciler, type RunReconciler } from './reconciler.ts'
import type { RunGateVerdict } from './verdict.ts'

export interface Answers {
  /** Of the first gates, up to and including the first that did not pass; and for a run that of its work. */
  readonly verdicts: readonly RunVerdict[]
  readonly detail: Readonly<Record<string, unknown>>
  /** The earliest time that a gate asked for. */
  readonly recheckAfterMs: number | undefined
  /** The status is not to be written before this time has passed. */
  readonly tellAfterMs?: number | undefined
  /** What the last gate threw, wrapped so that a thrown undefined is seen too. */
  readonly failure: { readonly error: unknown } | undefined
}

/** Asks one gate after the other, and stops at the first that does not pass. Rejects only when the process ends. */
export async function askGates<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: GateContext,
): Promise<Answers> {
  const questions = questionsOf(reconciler)
  const verdicts: RunVerdict[] = []
  const detail: Record<string, unknown> = {}
  let recheckAfterMs: number | undefined
  let tellAfterMs: number | undefined
  for (const [index, question] of questions.entries()) {
    const answer = await ask(question, object, { ...detail }, context)
    if ('failure' in answer) {
      verdicts.push({ kind: 'threw', message: describeFailure(answer.failure) })
      return {
        verdicts,
        detail: { ...detail, ...unasked(questions, index + 1, object) },
        recheckAfterMs,
        failure: { error: answer.failure },
      }
    }
    verdicts.push(answer)
    Object.assign(detail, answer.detail)
    recheckAfterMs = earlier(recheckAfterMs, recheckOf(answer))
    if (answer.kind === 'wait') tellAfterMs = answer.tellAfterMs
    if (answer.kind !== 'pass') Object.assign(detail, unasked(questions, index + 1, object))
    if (answer.kind !== 'pass') break
  }
  return { verdicts, detail, recheckAfterMs, tellAfterMs, failure: undefined }
}

interface Question<T extends KubeObject> {
  readonly gate: Gate<T>
  /** Undefined: any. */
  readonly reasons: readonly Readonly<Record<string, string>>[]
}

function questionsOf<T extends KubeObject>(reconciler: Reconciler<T>): Question<T>[] {
  const declared: readonly GateDeclaration[] = reconciler.conditions.gates
  const ofWork = isRun(reconciler) ? [reconciler.conditions.failures] : []
  const questions = reconciler.gates.map((gate, index) => ({
    gate,
    reasons: [declared[index]?.reasons ?? {}, ...ofWork],
  }))
  return isRun(reconciler) ? [...questions, aboutWork(reconciler)] : questions
}

function aboutWork<T extends KubeObject>(reconciler: RunReconciler<T>): Question<T> {
  const { progress, failures } = reconciler.conditions
  return {
    gate: {
      condition: 'Finished',
      check: (object, detail, context) => reconciler.work(object, detail, context),
    },
    reasons: [progress, failures],
  }
}

/** A verdict that the kind does not declare counts as a throw: it must not keep the status from being written. */
async function ask<T extends KubeObject>(
  { gate, reasons }: Question<T>,
  object: T,
  detail: object,
  context: GateContext,
): Promise<RunGateVerdict | { readonly failure: unknown }> {
  const { signal } = context
  try {
    signal.throwIfAborted()
    const answer = gate.check(object, detail, context)
    // Most gates of a settled object know the answer at once, and need no guard against waiting for ever.
    const verdict = answer instanceof Promise ? await orAborted(signal, () => answer) : answer
    if ('reason' in verdict && !reasons.some((known) => Object.hasOwn(known, verdict.reason))) {
      throw new TypeError(`${gate.condition} declares no reason ${verdict.reason}`)
    }
    return verdict
  } catch (failure) {
    if (signal.aborted && !(signal.reason instanceof ReconcileTimeout)) throw signal.reason
    return { failure: signal.aborted ? signal.reason : failure }
  }
}

function unasked<T extends KubeObject>(
  questions: readonly Question<T>[],
  from: number,
  object: T,
): object {
  return Object.assign({}, ...questions.slice(from).map(({ gate }) => gate.unasked?.(object)))
}

function recheckOf(verdict: RunGateVerdict): number | undefined {
  if (verdict.kind === 'wait') return verdict.retryAfterMs
  return verdict.kind === 'pass' ? verdict.recheckAfterMs : undefined
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}

const longestMessage = 1024

/** What people see of an error: without secrets, and not longer than a condition should be. */
function describeFailure(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  const safe = redact(text)
  return safe.length > longestMessage ? `${safe.slice(0, longestMessage - 1)}…` : safe
}
