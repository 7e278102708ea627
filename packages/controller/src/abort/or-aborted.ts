/**
 * Resolves like `run`, or rejects with the signal's reason if the signal is aborted first. Work that ignores the signal
 * continues in the background, and its result is dropped.
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
