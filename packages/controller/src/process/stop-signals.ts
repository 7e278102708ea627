/** The part of `process` that stopSignals needs. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
}

interface StopSignals {
  readonly signal: AbortSignal
  /** Removes the signal handlers. */
  dispose(): void
}

/** The first SIGTERM or SIGINT starts a graceful shutdown, the second exits at once with code 1. */
export function stopSignals(source: SignalSource, exit: (code: number) => void): StopSignals {
  const control = new AbortController()
  const onSignal = (): void => {
    if (control.signal.aborted) exit(1)
    else control.abort(new Error('received a stop signal'))
  }
  source.on('SIGTERM', onSignal)
  source.on('SIGINT', onSignal)
  return {
    signal: control.signal,
    dispose: () => {
      source.off('SIGTERM', onSignal)
      source.off('SIGINT', onSignal)
    },
  }
}
