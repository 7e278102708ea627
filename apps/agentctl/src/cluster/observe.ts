import {
  createInformer,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
} from '@agents/kube'

/**
 * Tells of an object as it is and as it becomes, until the callback returns something, which is the answer. A connection that
 * breaks is taken up again. `undefined` is an object that is not there.
 */
export async function observe<T extends KubeObject, Answer>(
  client: KubeClient,
  kind: KindRef<T>,
  key: ObjectKey,
  look: (object: T | undefined) => Answer | undefined,
  signal: AbortSignal,
  /** Told once for each time that the connection is lost. */
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
  const tell = (object: T | undefined): void => {
    isLost = false
    try {
      const answer = look(object)
      if (answer !== undefined) resolve(answer)
    } catch (error) {
      reject(error)
    }
  }
  informer.addHandler({
    onAdd: (object) => tell(object),
    onUpdate: (_, object) => tell(object),
    onDelete: () => tell(undefined),
  })
  informer.start()
  informer.waitForSync({ signal }).then(() => {
    if (informer.store.list().length === 0) tell(undefined)
  }, reject)
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    await informer.stop()
  }
}
