import {
  type KindController as AnyKind,
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

/** `gone` is told too when an object only waits for somebody to let it go. */
export interface KindController<T extends KubeObject = KubeObject> extends AnyKind<T> {
  readonly reconciler: LivingReconciler<T>
  /** How many of the gates, from the first, can be answered at once, when the others take their time. */
  readonly quickGates?: number
}

export function kindRunnable<T extends KubeObject>(
  { quickGates = 0, ...controller }: KindController<T>,
  ports: KindPorts,
): Runnable {
  const { reconciler, gone } = controller
  const around = (reconcile: Reconcile<T>, api: ObjectApi<T>): Reconcile<T> =>
    tellingWhoGoes(gone, fromPending(reconciler, { quickGates, api }, reconcile))
  return runnable({ ...controller, around }, ports)
}

/** Nothing is done any more for an object that is being deleted, however long that takes: others count on it being gone. */
const tellingWhoGoes =
  <T extends KubeObject>(
    gone: ((key: string) => void) | undefined,
    reconcile: Reconcile<T>,
  ): Reconcile<T> =>
  (object, context) => {
    if (isGoing(object)) gone?.(formatKey(object.metadata))
    return reconcile(object, context)
  }

/**
 * A new object that has a phase is told about step by step: that nothing was asked yet, and then what could be answered at
 * once. The gates after that may take a while, and until then nobody could tell an object that is being looked at from one
 * that nobody looks at.
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
    const tell = async (verdicts: readonly Verdict[], detail: object): Promise<void> => {
      const folded = foldVerdicts(conditions, verdicts, undefined, at)
      const status = { ...detail, ...folded, ...(phase && { phase: phase(folded.conditions) }) }
      const written = await writeStatus(api, current, status, { now, clockFields })
      if (written !== undefined) context.remember(written)
      current = written ?? current
    }
    await tell([], {})
    const answered = await quickAnswers(quick, current, context)
    if (answered !== undefined) await tell(answered.verdicts, answered.detail)
    return reconcile(current, context)
  }
}

/** What the first gates say, if all of them pass; otherwise whoever asks all of them tells why. */
async function quickAnswers<T extends KubeObject>(
  { gates }: Pick<LivingReconciler<T>, 'gates'>,
  object: T,
  { now, signal }: Parameters<Reconcile<T>>[1],
): Promise<{ verdicts: readonly Verdict[]; detail: object } | undefined> {
  const verdicts: Verdict[] = []
  const detail = {}
  try {
    for (const gate of gates) {
      const verdict = await gate.check(object, detail, { now, signal })
      if (verdict.kind !== 'pass') return undefined
      verdicts.push(verdict)
      Object.assign(detail, verdict.detail)
    }
    return { verdicts, detail }
  } catch {
    return undefined
  }
}

const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
