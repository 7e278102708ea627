import {
  type KindPorts,
  type LivingReconciler,
  type ObjectApi,
  type Reconcile,
  type Runnable,
  kindRunnable as runnable,
  writeStatus,
} from '@agents/controller'
import { formatKey, type KubeObject } from '@agents/kube'
import { foldVerdicts, type Verdict } from '@agents/status'
import type { LivingController } from '../kubernetes/living-controller.ts'

export function kindRunnable<T extends KubeObject>(
  { quickGates = 0, ...controller }: LivingController<T>,
  ports: KindPorts,
): Runnable {
  const { reconciler, gone } = controller
  const around = (reconcile: Reconcile<T>, api: ObjectApi<T>): Reconcile<T> =>
    withDeletionNotice(gone, fromPending(reconciler, { quickGates, api }, reconcile))
  return runnable({ ...controller, around }, ports)
}

/**
 * Treats an object that is being deleted as deleted, however long its finalizers take.
 */
function withDeletionNotice<T extends KubeObject>(
  gone: ((key: string) => void) | undefined,
  reconcile: Reconcile<T>,
): Reconcile<T> {
  return (object, context) => {
    if (isGoing(object)) gone?.(formatKey(object.metadata))
    return reconcile(object, context)
  }
}

/**
 * Writes the status of a new object in steps: first that no gate was checked, then the verdicts of the quick gates. The
 * later gates may take a while, and without these steps users could not see that the object is being reconciled.
 */
function fromPending<T extends KubeObject>(
  reconciler: LivingReconciler<T>,
  { quickGates, api }: { quickGates: number; api: Pick<ObjectApi<T>, 'updateStatus'> },
  reconcile: Reconcile<T>,
): Reconcile<T> {
  const { conditions, phase, clockFields, gates } = reconciler
  const quick = { ...reconciler, gates: gates.slice(0, quickGates) }
  return async (object, context) => {
    const known = object.status as { readonly conditions?: unknown } | undefined
    if (quickGates === 0 || known?.conditions !== undefined || isGoing(object)) {
      return reconcile(object, context)
    }
    const { now } = context
    const at = { now, generation: object.metadata.generation ?? 0 }
    let current = object
    const writeVerdicts = async (verdicts: readonly Verdict[], detail: object): Promise<void> => {
      const folded = foldVerdicts(conditions, verdicts, undefined, at)
      const status = { ...detail, ...folded, ...(phase && { phase: phase(folded.conditions) }) }
      const written = await writeStatus(api, current, status, { now, clockFields })
      if (written !== undefined) context.remember(written)
      current = written ?? current
    }
    await writeVerdicts([], {})
    const answered = await quickAnswers(quick, current, context)
    if (answered !== undefined) await writeVerdicts(answered.verdicts, answered.detail)
    return reconcile(current, context)
  }
}

/** The verdicts of the quick gates if all of them pass; otherwise undefined, and the full reconcile reports why. */
async function quickAnswers<T extends KubeObject>(
  { gates, scope: newScope }: Pick<LivingReconciler<T>, 'gates' | 'scope'>,
  object: T,
  { now, signal }: Parameters<Reconcile<T>>[1],
): Promise<{ verdicts: readonly Verdict[]; detail: object } | undefined> {
  const verdicts: Verdict[] = []
  const detail = {}
  const context = { now, signal, scope: newScope?.(object, { now, signal }) }
  try {
    for (const gate of gates) {
      const verdict = await gate.check(object, detail, context)
      if (verdict.kind !== 'pass') return undefined
      verdicts.push(verdict)
      Object.assign(detail, verdict.detail)
    }
    return { verdicts, detail }
  } catch {
    return undefined
  }
}

function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}
