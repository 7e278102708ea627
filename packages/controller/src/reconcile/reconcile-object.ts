import { type Condition, hasFinalizer, isConflict, isNotFound, type KubeObject } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { ObjectApi } from '../objects/object-api.ts'
import { addFinalizer, removeFinalizer } from './finalizers.ts'
import type { GateContext } from './gate.ts'
import type { HeldStatuses } from './held-statuses.ts'
import { type GatedStatus, type Reconciled, reconcile } from './reconcile.ts'
import { isRun, type Reconciler } from './reconciler.ts'
import { runAllSteps, runSteps } from './step.ts'
import { summaryTransition, type Transition } from './transition.ts'
import { writeStatus } from './write-status.ts'

interface PassContext<T extends KubeObject> extends GateContext {
  readonly api: Pick<ObjectApi<T>, 'patch' | 'updateStatus'>
  /** Called with the response to each write. */
  readonly remember: (object: T) => void
  /** Kept between reconciles. If omitted, every status is written at once. */
  readonly held?: HeldStatuses
}

export interface PassResult {
  /** `conflict`: the object changed meanwhile; the result is dropped, and the object is reconciled again. */
  readonly kind: 'settled' | 'written' | 'conflict' | 'gone' | 'deleting'
  readonly recheckAfterMs?: number
  readonly transition?: Transition
  /** What the deletion is waiting for. */
  readonly waitsFor?: string
  /** The error of a gate. The status shows it already; the caller backs off. */
  readonly failure?: { readonly error: unknown }
}

/** Reconciles one object: finalizer, gates and status; or, if it is being deleted, the steps of its finalizer. */
export async function reconcileObject<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: PassContext<T>,
): Promise<PassResult> {
  try {
    if (object.metadata.deletionTimestamp) return await finalizeObject(reconciler, object, context)
    return await reconcileLive(reconciler, object, context)
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error
    if (isConflict(error.cause)) return { kind: 'conflict' }
    if (isNotFound(error.cause)) return { kind: 'gone' }
    throw error.cause
  }
}

/** Distinguishes a rejected write of the framework from an error of a gate or step. */
class WriteRefused extends Error {
  override name = 'WriteRefused'
}

async function ownWrite<V>(write: () => Promise<V>): Promise<V> {
  try {
    return await write()
  } catch (cause) {
    throw new WriteRefused('write refused', { cause })
  }
}

async function withFinalizer<T extends KubeObject>(
  { finalize }: Reconciler<T>,
  object: T,
  { api, signal, remember }: PassContext<T>,
): Promise<T> {
  if (!finalize || finalize.isAdded === false) return object
  if (hasFinalizer(object, finalize.finalizer)) return object
  const patched = await ownWrite(() => addFinalizer(api, object, finalize.finalizer, signal))
  remember(patched)
  return patched
}

/** What the gates did before the finalizer was rejected remains; the next reconcile finds it. */
async function addFinalizerAndEvaluate<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: PassContext<T>,
): Promise<{ readonly current: T; readonly reconciled: Reconciled }> {
  const withHeldStatus = (one: T): T => context.held?.appliedTo(one) ?? one
  const addingFinalizer = withFinalizer(reconciler, object, context)
  if (!reconciler.finalize?.isAlongside) {
    const current = await addingFinalizer
    return { current, reconciled: await reconcile(reconciler, withHeldStatus(current), context) }
  }
  const { now, signal } = context
  const evaluating = reconcile(reconciler, withHeldStatus(object), {
    now,
    signal,
    finalizerAdded: addingFinalizer,
  })
  await Promise.allSettled([addingFinalizer, evaluating])
  return { current: await addingFinalizer, reconciled: await evaluating }
}

async function reconcileLive<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: PassContext<T>,
): Promise<PassResult> {
  const { now, api, remember } = context
  const { current, reconciled } = await addFinalizerAndEvaluate(reconciler, object, context)
  const { status, recheckAfterMs, failure } = reconciled
  const heldMs = holdBack(current, reconciled, context)
  if (heldMs > 0) {
    return { kind: 'settled', recheckAfterMs: Math.min(recheckAfterMs ?? heldMs, heldMs) }
  }
  const { clockFields } = reconciler
  // Without the signal: a reconcile that timed out must still write that to the status.
  const written = await ownWrite(() => writeStatus(api, current, status, { now, clockFields }))
  context.held?.drop(current)
  if (written) {
    remember(written)
    context.held?.countWrite(now)
  }
  const transition = summaryTransition(
    reconciler.conditions.summary,
    conditionsOf(current),
    status.conditions,
  )
  const afterwards = failure
    ? undefined
    : await runAfterwards(reconciler, written ?? current, context)
  const due = afterwards ?? recheckAfterMs
  return {
    kind: written ? 'written' : 'settled',
    ...(due !== undefined && { recheckAfterMs: due }),
    ...(transition && written && { transition }),
    ...(failure && { failure }),
  }
}

function holdBack<T extends KubeObject>(
  object: T,
  { status, holdForMs, holdWhenBusyMs, failure }: Reconciled,
  { held, now }: PassContext<T>,
): number {
  const before = conditionsOf(object)
  const isChange = !haveSameStatus(before, status.conditions)
  const usualMs =
    before === undefined && holdForMs !== undefined ? Math.min(holdForMs, firstStatusMs) : holdForMs
  const longestMs =
    holdWhenBusyMs !== undefined && isChange
      ? held?.longestMs(object, now, { usualMs, holdWhenBusyMs })
      : usualMs
  if (longestMs === undefined || failure) return 0
  return held?.hold(object, status, longestMs, now) ?? 0
}

function haveSameStatus(
  before: readonly Condition[] | undefined,
  after: readonly Condition[] = [],
): boolean {
  const statuses = new Map(before?.map(({ type, status }) => [type, status]))
  return after.every(({ type, status }) => statuses.get(type) === status)
}

/**
 * An object gets its first status soon, so that users do not take it for one that nobody reconciles. In a burst that
 * would be one more write for each object, and the API server could start fewer of them.
 */
const firstStatusMs = 1000

async function runAfterwards<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: GateContext,
): Promise<number | undefined> {
  if (!isRun(reconciler) || !isFinished(conditionsOf(object))) return undefined
  return runAllSteps(reconciler.afterwards, object, context)
}

async function finalizeObject<T extends KubeObject>(
  { finalize }: Reconciler<T>,
  object: T,
  context: PassContext<T>,
): Promise<PassResult> {
  const isMarked = finalize !== undefined && hasFinalizer(object, finalize.finalizer)
  if (!finalize || (!isMarked && !finalize.isAlongside)) return { kind: 'deleting' }
  const result = await runSteps(finalize.steps, object, context)
  if (result.kind === 'wait') {
    return {
      kind: 'deleting',
      recheckAfterMs: result.retryAfterMs,
      waitsFor: `${result.step}: ${result.message}`,
    }
  }
  if (!isMarked) return { kind: 'deleting' }
  context.held?.drop(object)
  const { api, signal, remember } = context
  const patched = await ownWrite(() => removeFinalizer(api, object, finalize.finalizer, signal))
  remember(patched)
  return { kind: 'deleting' }
}

function conditionsOf({ status }: KubeObject): readonly Condition[] | undefined {
  return (status as GatedStatus | undefined)?.conditions
}
