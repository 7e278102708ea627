import type { RunKey } from '@agents/client'
import { useEffect, useRef, useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { followLog, type LogState } from './follow-log.ts'
import { LogBuffer } from './log-buffer.ts'

interface Log {
  readonly buffer: LogBuffer
  /** Grows with each piece. */
  readonly version: number
  readonly state: LogState
}

/** The output of a run as it arrives, shown at most once per frame. */
export function useLog({ kind, namespace, name }: RunKey, isFinished: boolean): Log {
  const { client } = useConsoleData()
  const finished = useRef(isFinished)
  finished.current = isFinished
  const [log, setLog] = useState<Log>(() => ({
    buffer: new LogBuffer(),
    version: 0,
    state: { state: 'loading' },
  }))
  useEffect(() => {
    const end = new AbortController()
    let buffer = new LogBuffer()
    let frame = 0
    const show = (): void => {
      frame = 0
      setLog(({ version, state }) => ({ buffer, version: version + 1, state }))
    }
    void followLog(
      client,
      { kind, namespace, name },
      {
        onLog: (next) => {
          buffer = next
          // A hidden page has no frames; it catches up when it is shown.
          if (frame === 0) frame = requestAnimationFrame(show)
        },
        onState: (state) => setLog((before) => ({ ...before, state })),
        isFinished: () => finished.current,
      },
      end.signal,
    )
    return () => {
      end.abort()
      cancelAnimationFrame(frame)
    }
  }, [client, kind, namespace, name])
  return log
}
