import type { KubeObject } from '@agents/kube'
import type { EventRecorder } from '../events/event-recorder.ts'
import type { ObjectApi } from '../objects/object-api.ts'
import { HeldStatuses } from '../reconcile/held-statuses.ts'
import { type PassResult, reconcileObject } from '../reconcile/reconcile-object.ts'
import type { Reconciler } from '../reconcile/reconciler.ts'
import type { Reconcile, ReconcileContext } from './reconcile-function.ts'

interface GatePorts<T extends KubeObject> {
  readonly api: Pick<ObjectApi<T>, 'patch' | 'updateStatus'>
  /** Records an event when the summary condition changes. */
  readonly events?: EventRecorder
}

/** The reconcile function of a kind that is declared by its gates. */
export function gateReconcile<T extends KubeObject>(
  reconciler: Reconciler<T>,
  { api, events }: GatePorts<T>,
): Reconcile<T> {
  const held = new HeldStatuses()
  return async (object, context) => {
    const { now, signal, remember } = context
    const result = await reconcileObject(reconciler, object, { now, signal, api, remember, held })
    report(object, result, context, isRecorded(reconciler, result) ? events : undefined)
    if (result.failure) throw result.failure.error
    return {
      tryAgain: result.kind === 'conflict',
      ...(result.recheckAfterMs !== undefined && { recheckAfterMs: result.recheckAfterMs }),
    }
  }
}

function isRecorded<T extends KubeObject>(
  { events = 'all' }: Reconciler<T>,
  { transition }: PassResult,
): boolean {
  return events === 'all' || transition?.isWarning === true
}

function report<T extends KubeObject>(
  object: T,
  { kind, transition, waitsFor }: PassResult,
  context: ReconcileContext<T>,
  events: EventRecorder | undefined,
): void {
  if (kind === 'conflict') context.log.debug('conflict: the object changed during the reconcile')
  if (waitsFor !== undefined) context.log.info('deletion is waiting', { for: waitsFor })
  if (!transition) return
  const { to, isWarning } = transition
  const { type, status, reason, message } = to
  context.log.info('reconciled', { condition: type, status, reason, text: message })
  events?.record(object, {
    type: isWarning ? 'Warning' : 'Normal',
    reason,
    action: 'Reconcile',
    message: message === '' ? `${type} is ${status}` : message,
  })
}
