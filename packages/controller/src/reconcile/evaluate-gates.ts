import type { KubeObject } from '@agents/kube'
import { redact } from '@agents/log'
import type { GateDeclaration, RunVerdict } from '@agents/status'
import { orAborted } from '../abort/or-aborted.ts'
import type { Gate, GateContext } from './gate.ts'
import { ReconcileTimeout } from './reconcile-timeout.ts'
import { isRun, type Reconciler, type RunReconciler } from './reconciler.ts'
import type { RunGateVerdict } from './verdict.ts'

export interface Evaluation {
  /** The verdicts up to and including the first gate that did not pass; for a run also that of its work. */
  readonly verdicts: readonly RunVerdict[]
  readonly detail: Readonly<Record<string, unknown>>
  /** The earliest recheck that a gate requested. */
  readonly recheckAfterMs: number | undefined
  /** The status is not written before this time has passed. */
  readonly holdForMs?: number | undefined
  /** The same, while many statuses change. */
  readonly holdWhenBusyMs?: number | undefined
  /** The error of the last gate, wrapped so that a thrown undefined is recognised too. */
  readonly failure: { readonly error: unknown } | undefined
}

/** Evaluates the gates in order, up to the first that does not pass. Rejects only when the process ends. */
export async function evaluateGates<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  { now, signal, finalizerAdded }: GateContext,
): Promise<Evaluation> {
  const base = { now, signal, finalizerAdded }
  const context = { ...base, scope: reconciler.scope?.(object, base) }
  const gates = gatesOf(reconciler)
  const verdicts: RunVerdict[] = []
  const detail: Record<string, unknown> = {}
  let recheckAfterMs: number | undefined
  let held: Pick<Evaluation, 'holdForMs' | 'holdWhenBusyMs'> = {}
  for (const [index, gate] of gates.entries()) {
    const verdict = await evaluate(gate, object, { ...detail }, context)
    if ('failure' in verdict) {
      verdicts.push({ kind: 'threw', message: describeFailure(verdict.failure) })
      return {
        verdicts,
        detail: { ...detail, ...blockedDetail(gates, index + 1, object) },
        recheckAfterMs,
        failure: { error: verdict.failure },
      }
    }
    verdicts.push(verdict)
    Object.assign(detail, verdict.detail)
    recheckAfterMs = earlier(recheckAfterMs, recheckOf(verdict))
    if (verdict.kind === 'wait') held = verdict
    if (verdict.kind !== 'pass') Object.assign(detail, blockedDetail(gates, index + 1, object))
    if (verdict.kind !== 'pass') break
  }
  const { holdForMs, holdWhenBusyMs } = held
  return { verdicts, detail, recheckAfterMs, holdForMs, holdWhenBusyMs, failure: undefined }
}

interface DeclaredGate<T extends KubeObject> {
  readonly gate: Gate<T>
  /** Undefined: any. */
  readonly reasons: readonly Readonly<Record<string, string>>[]
}

function gatesOf<T extends KubeObject>(reconciler: Reconciler<T>): DeclaredGate<T>[] {
  const declared: readonly GateDeclaration[] = reconciler.conditions.gates
  const ofWork = isRun(reconciler) ? [reconciler.conditions.failures] : []
  const gates = reconciler.gates.map((gate, index) => ({
    gate,
    reasons: [declared[index]?.reasons ?? {}, ...ofWork],
  }))
  return isRun(reconciler) ? [...gates, gateOfWork(reconciler)] : gates
}

function gateOfWork<T extends KubeObject>(reconciler: RunReconciler<T>): DeclaredGate<T> {
  const { progress, successes, failures } = reconciler.conditions
  return {
    gate: {
      condition: 'Finished',
      check: (object, detail, context) => reconciler.work(object, detail, context),
    },
    reasons: [progress, successes, failures],
  }
}

/** An undeclared reason counts as an error of the gate: the status must still be written. */
async function evaluate<T extends KubeObject>(
  { gate, reasons }: DeclaredGate<T>,
  object: T,
  detail: object,
  context: GateContext,
): Promise<RunGateVerdict | { readonly failure: unknown }> {
  const { signal } = context
  try {
    signal.throwIfAborted()
    const result = gate.check(object, detail, context)
    // Most gates of a settled object return synchronously and need no timeout.
    const verdict = result instanceof Promise ? await orAborted(signal, () => result) : result
    const reason = 'reason' in verdict ? verdict.reason : undefined
    if (reason !== undefined && !reasons.some((known) => Object.hasOwn(known, reason))) {
      throw new TypeError(`${gate.condition} declares no reason ${reason}`)
    }
    return verdict
  } catch (failure) {
    if (signal.aborted && !(signal.reason instanceof ReconcileTimeout)) throw signal.reason
    return { failure: signal.aborted ? signal.reason : failure }
  }
}

function blockedDetail<T extends KubeObject>(
  gates: readonly DeclaredGate<T>[],
  from: number,
  object: T,
): object {
  return Object.assign({}, ...gates.slice(from).map(({ gate }) => gate.blockedDetail?.(object)))
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

/** The condition message of an error: without secrets, and truncated. */
function describeFailure(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  const safe = redact(text)
  return safe.length > longestMessage ? `${safe.slice(0, longestMessage - 1)}…` : safe
}
