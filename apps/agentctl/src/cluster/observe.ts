import {
  createInformer,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
} from '@agents/kube'

/**
 * Calls `evaluate` with an object and its changes until it returns a value, which is the result. A lost connection is
 * restored. The object is `undefined` if it does not exist.
 */
export async function observe<T extends KubeObject, Answer>(
  client: KubeClient,
  kind: KindRef<T>,
  key: ObjectKey,
  evaluate: (object: T | undefined) => Answer | undefined,
  signal: AbortSignal,
  /** Called once for each lost connection. */
  onLost: () => void = () => undefined,
): Promise<Answer> {
  signal.throwIfAborted()
  let isLost = false
  const informer = createInformer({
    client,
    kind,
    ...(kind.namespaced && { namespace: key.namespace }),
    fieldSelector: `metadata.name=${key.name}`,
    onError: () => {
      if (!isLost) onLost()
      isLost = true
    },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const notify = (object: T | undefined): void => {
    isLost = false
    try {
      const answer = evaluate(object)
      if (answer !== undefined) resolve(answer)
    } catch (error) {
      reject(error)
    }
  }
  informer.addHandler({
    onAdd: (object) => notify(object),
    onUpdate: (_, object) => notify(object),
    onDelete: () => notify(undefined),
  })
  informer.start()
  informer.waitForSync({ signal }).then(() => {
    if (informer.store.list().length === 0) notify(undefined)
  }, reject)
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    await informer.stop()
  }
}
