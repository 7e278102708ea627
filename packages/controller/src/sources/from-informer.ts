import type { Informer, InformerLease, KubeObject } from '@agents/kube'
import type { ChangeSource } from './informer.ts'

/** Adapts an informer, shared or not, to what a controller needs. */
export function fromInformer<T extends KubeObject>(
  source: Informer<T> | InformerLease<T>,
): ChangeSource<T> {
  const informer = 'informer' in source ? source.informer : source
  return {
    get: (key) => informer.store.get(key),
    get resourceVersion() {
      return informer.revision
    },
    subscribe: ({ onAdd, onUpdate, onDelete }) =>
      source.addHandler({
        onAdd: (object, { isInInitialList }) => onAdd(object, isInInitialList),
        onUpdate,
        onDelete,
      }),
  }
}
