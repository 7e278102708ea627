import type { Socket } from 'node:net'
import { longestProbeMs, type ProbeOutcome } from './probe-outcome.ts'

/** Runs a conversation over a socket with a time limit, and always destroys the socket afterwards. */
export async function withDeadline(
  socket: Socket,
  signal: AbortSignal,
  converse: () => Promise<ProbeOutcome>,
): Promise<ProbeOutcome> {
  const deadline = AbortSignal.timeout(longestProbeMs)
  const either = AbortSignal.any([signal, deadline])
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>()
  const stop = (): void => end(undefined)
  either.addEventListener('abort', stop, { once: true })
  try {
    const talk = signal.aborted ? undefined : converse()
    const outcome = await Promise.race([talk, ended])
    signal.throwIfAborted()
    const message = `the store did not respond within ${longestProbeMs / 1000} s`
    return outcome ?? { kind: 'unreachable', message }
  } finally {
    either.removeEventListener('abort', stop)
    socket.destroy()
  }
}
