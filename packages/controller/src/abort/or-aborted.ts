/**
 * What `run` comes to, unless the signal is first: then its reason is thrown. Work that does not listen to the signal is left
 * behind: its result, should it come, is nobody's any more.
 */
export function orAborted<V>(signal: AbortSignal, run: () => Promise<V>): Promise<V> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    run()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}
