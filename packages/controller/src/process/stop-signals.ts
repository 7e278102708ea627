/** The part of `process` that is needed here. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
}

export interface StopSignals {
  readonly signal: AbortSignal
  /** Leaves the signals to whoever else listens. */
  dispose(): void
}

/** The first SIGTERM or SIGINT asks to end in order, the second ends at once with code 1. */
export function stopSignals(source: SignalSource, exit: (code: number) => void): StopSignals {
  const control = new AbortController()
  const onSignal = (): void => {
    if (control.signal.aborted) exit(1)
    else control.abort(new Error('asked to stop'))
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
