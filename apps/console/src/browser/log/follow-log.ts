import { type ApiClient, ApiFailure, type RunKey } from '@agents/client'
import { nextTask } from '../parts/next-task.ts'
import { LogBuffer } from './log-buffer.ts'

export type LogState =
  | { readonly state: 'loading' }
  | { readonly state: 'following' }
  /** No pod has begun to write. */
  | { readonly state: 'waiting' }
  /** The connection is lost; what was read stays. */
  | { readonly state: 'lost'; readonly reason: string }
  /** Kept: the pods are gone, and this is the output that the platform stored. */
  | { readonly state: 'ended'; readonly isKept: boolean }
  /** The pods are gone, and nothing of their output is kept. */
  | { readonly state: 'notKept' }
  | { readonly state: 'failed'; readonly failure: unknown }

interface LogSink {
  /** Called after each piece; the buffer is another one when the output was read again from its start. */
  onLog(buffer: LogBuffer): void
  onState(state: LogState): void
  isFinished(): boolean
}

const pauseMs = 1000

/** As much is read before the page may do something else. */
export const sliceCharacters = 128 * 1024

/**
 * Reads the output of a run to its end. The API cannot continue in the middle, so a lost connection means reading
 * again: what is shown stays until the new reading has caught up or differs. No line is lost or shown twice.
 */
export async function followLog(
  client: ApiClient,
  key: RunKey,
  sink: LogSink,
  signal: AbortSignal,
): Promise<void> {
  let shown = new LogBuffer()
  let isKept = false
  sink.onState({ state: 'loading' })
  while (!signal.aborted) {
    const wasFinished = sink.isFinished()
    try {
      const read = await readOnce(client, key, shown, sink, !wasFinished, signal)
      shown = read.shown
      isKept = read.isKept
      if (signal.aborted) return
      // An output that ended before the run did may have been cut: it is read once more when the run has finished.
      if (wasFinished || shown.isFull) return sink.onState({ state: 'ended', isKept })
    } catch (failure) {
      if (signal.aborted) return
      const status = failure instanceof ApiFailure ? failure.status : 0
      const isGone = status === 404
      if (isGone && wasFinished && shown.length > 0) return sink.onState({ state: 'ended', isKept })
      if (isGone && wasFinished) return sink.onState({ state: 'notKept' })
      if (status >= 400 && status < 500 && !isGone && status !== 429) {
        return sink.onState({ state: 'failed', failure })
      }
      const reason = failure instanceof ApiFailure ? failure.message : 'the connection is lost'
      sink.onState(isGone ? { state: 'waiting' } : { state: 'lost', reason })
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

async function readOnce(
  client: ApiClient,
  key: RunKey,
  shown: LogBuffer,
  sink: LogSink,
  follow: boolean,
  signal: AbortSignal,
): Promise<{ readonly shown: LogBuffer; readonly isKept: boolean }> {
  const next = new LogBuffer()
  let hasTakenOver = shown.length === 0
  let compared = 0
  const { text, isKept } = await client.readLogs(key, { follow }, signal)
  sink.onState({ state: 'following' })
  for await (const piece of inSlices(text)) {
    next.push(piece)
    if (!hasTakenOver) {
      hasTakenOver = !next.isBehind(shown, compared)
      compared = next.ended
    }
    if (hasTakenOver) sink.onLog(next)
    if (next.isFull) break
  }
  // Cut early, perhaps: what is shown is more, and the next reading will show whether it still holds.
  if (!hasTakenOver && follow && next.length < shown.length) return { shown, isKept }
  sink.onLog(next)
  return { shown: next, isKept }
}

/** The same text with pauses: to read all that has arrived could take seconds, in which the page would not answer. */
export async function* inSlices(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let read = 0
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const slice = piece.slice(at, at + sliceCharacters - read)
      at += slice.length
      read += slice.length
      yield slice
      if (read < sliceCharacters) continue
      read = 0
      await nextTask()
    }
  }
}
