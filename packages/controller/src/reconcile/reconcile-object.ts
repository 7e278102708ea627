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

export interface PassContext<T extends KubeObject> extends GateContext {
  readonly api: Pick<ObjectApi<T>, 'patch' | 'updateStatus'>
  /** Told about what the server answered to each write. */
  readonly remember: (object: T) => void
  /** Kept from pass to pass. Without it every status is written at once. */
  readonly held?: HeldStatuses
}

export interface PassResult {
  /** `conflict`: somebody else wrote meanwhile; what was found is dropped, and the object looked at again. */
  readonly kind: 'settled' | 'written' | 'conflict' | 'gone' | 'deleting'
  readonly recheckAfterMs?: number
  readonly transition?: Transition
  /** What keeps a deletion from going on. */
  readonly waitsFor?: string
  /** A gate threw it. The status says so already; whoever called backs off. */
  readonly failure?: { readonly error: unknown }
}

/** One whole look at one object: finalizer, gates, status; or, when it is to be deleted, the steps before it may go. */
export async function reconcileObject<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: PassContext<T>,
): Promise<PassResult> {
  try {
    if (object.metadata.deletionTimestamp) return await finalizeObject(reconciler, object, context)
    return await lookAt(reconciler, object, context)
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error
    if (isConflict(error.cause)) return { kind: 'conflict' }
    if (isNotFound(error.cause)) return { kind: 'gone' }
    throw error.cause
  }
}

/** Tells a refusal of our own write from one that a gate or step ran into. */
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
  if (!finalize || hasFinalizer(object, finalize.finalizer)) return object
  const patched = await ownWrite(() => addFinalizer(api, object, finalize.finalizer, signal))
  remember(patched)
  return patched
}

/** What the gates did without waiting for the finalizer stands even if that was refused; the next pass finds it. */
async function markAndAsk<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: PassContext<T>,
): Promise<{ readonly marked: T; readonly reconciled: Reconciled }> {
  const known = (one: T): T => context.held?.appliedTo(one) ?? one
  const marking = withFinalizer(reconciler, object, context)
  if (!reconciler.finalize?.isAlongside) {
    const marked = await marking
    return { marked, reconciled: await reconcile(reconciler, known(marked), context) }
  }
  const { now, signal } = context
  const asking = reconcile(reconciler, known(object), { now, signal, marked: marking })
  await Promise.allSettled([marking, asking])
  return { marked: await marking, reconciled: await asking }
}

async function lookAt<T extends KubeObject>(
  reconciler: Reconciler<T>,
  object: T,
  context: PassContext<T>,
): Promise<PassResult> {
  const { now, api, remember } = context
  const { marked, reconciled } = await markAndAsk(reconciler, object, context)
  const { status, recheckAfterMs, failure } = reconciled
  const heldMs = holdBack(marked, reconciled, context)
  if (heldMs > 0) {
    return { kind: 'settled', recheckAfterMs: Math.min(recheckAfterMs ?? heldMs, heldMs) }
  }
  const { clockFields } = reconciler
  // Without the signal: a pass that took too long still has to say so.
  const written = await ownWrite(() => writeStatus(api, marked, status, { now, clockFields }))
  if (written) remember(written)
  const transition = summaryTransition(
    reconciler.conditions.summary,
    conditionsOf(marked),
    status.conditions,
  )
  const afterwards = failure
    ? undefined
    : await runAfterwards(reconciler, written ?? marked, context)
  const due = afterwards ?? recheckAfterMs
  return {
    kind: written ? 'written' : 'settled',
    ...(due !== undefined && { recheckAfterMs: due }),
    ...(transition && written && { transition }),
    ...(failure && { failure }),
  }
}

/** Who has no status yet gets one at once: nobody should look at an object that says nothing. */
function holdBack<T extends KubeObject>(
  object: T,
  { status, tellAfterMs, failure }: Reconciled,
  { held, now }: PassContext<T>,
): number {
  if (tellAfterMs !== undefined && !failure && conditionsOf(object) !== undefined) {
    return held?.hold(object, status, tellAfterMs, now) ?? 0
  }
  held?.drop(object)
  return 0
}

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
