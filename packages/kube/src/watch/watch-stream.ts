import type { KubeObject } from '../object.ts'
import { isProtobuf } from '../protobuf/kubernetes.ts'
import type { Message } from '../protobuf/message.ts'
import type { HttpStream } from '../transport/http-exchange.ts'
import { badAnswerReason, KubeError, noAnswerReason, unreachable } from '../transport/kube-error.ts'
import { cutManagedFields } from './cut-managed-fields.ts'
import { createFrameSplitter } from './frame-splitter.ts'
import { createLineSplitter, type StreamSplitter } from './line-splitter.ts'
import { decodeEvent, decodeFrame, type WatchEvent } from './watch-event.ts'

interface WatchLimits {
  /** Longer events end the stream with an error. */
  readonly maxLineBytes: number
  /** The stream ends with an error after this long without data. */
  readonly idleMs: number
}

/** Events in the order of the server. The iteration ends when the server ends the watch, and throws if it breaks. */
export interface WatchStream<T extends KubeObject = KubeObject>
  extends AsyncIterable<WatchEvent<T>> {
  /** The same events, in batches as they arrived. */
  batches(): AsyncGenerator<WatchEvent<T>[]>
  /** Changes the idle timeout. */
  setIdleLimit(ms: number): void
  close(): void
}

/** What is read of each object. */
interface Reading {
  /** If set, the server may send protobuf, of which only these are decoded. */
  readonly fields?: Message | undefined
  readonly withoutManagedFields?: boolean | undefined
}

export function watchStream<T extends KubeObject>(
  stream: HttpStream,
  limits: WatchLimits,
  reading: Reading = {},
): WatchStream<T> {
  let idleMs = limits.idleMs
  const { createSplitter, decode } = encodingOf<T>(stream, reading)
  async function* batches(): AsyncGenerator<WatchEvent<T>[]> {
    const splitter = createSplitter(limits.maxLineBytes)
    let silent = false
    const onSilence = (): void => {
      silent = true
      stream.close()
    }
    let timer = setTimeout(onSilence, idleMs)
    try {
      for await (const chunk of stream.chunks) {
        clearTimeout(timer)
        const events = decodeAll(split(splitter.push, chunk), decode)
        // The time that the reader takes does not count as idle time of the server.
        if (events.length > 0) yield events
        timer = setTimeout(onSilence, idleMs)
      }
    } catch (error) {
      throw silent ? silence(idleMs, error) : error
    } finally {
      clearTimeout(timer)
      stream.close()
    }
    if (silent) throw silence(idleMs)
    if (splitter.pending > 0) throw cutOff()
  }
  return {
    batches,
    setIdleLimit: (ms) => {
      idleMs = ms
    },
    close: () => stream.close(),
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches()) yield* batch
    },
  }
}

function split(push: (chunk: Buffer) => Buffer[], chunk: Buffer): Buffer[] {
  try {
    return push(chunk)
  } catch (cause) {
    throw new KubeError('watch: an event is too long', {
      code: 200,
      reason: badAnswerReason,
      cause,
    })
  }
}

/** How events are separated and written. */
interface Encoding<T extends KubeObject> {
  createSplitter(maxBytes: number): StreamSplitter
  decode(part: Buffer): WatchEvent<T> | undefined
}

function encodingOf<T extends KubeObject>(
  { headers }: HttpStream,
  { fields, withoutManagedFields = false }: Reading,
): Encoding<T> {
  if (fields !== undefined && isProtobuf(headers['content-type'])) {
    return { createSplitter: createFrameSplitter, decode: (frame) => decodeFrame(frame, fields) }
  }
  const change = withoutManagedFields ? cutManagedFields : undefined
  return { createSplitter: createLineSplitter, decode: (line) => decodeEvent(line, change) }
}

function decodeAll<T extends KubeObject>(
  parts: readonly Buffer[],
  decode: Encoding<T>['decode'],
): WatchEvent<T>[] {
  const events: WatchEvent<T>[] = []
  for (const part of parts) {
    const event = decode(part)
    if (event !== undefined) events.push(event)
  }
  return events
}

function silence(idleMs: number, cause?: unknown): KubeError {
  const message = `watch: no data from the server for ${idleMs} ms`
  return new KubeError(message, { code: 0, reason: noAnswerReason, cause })
}

function cutOff(): KubeError {
  const message = 'watch: the stream ended in the middle of an event'
  return new KubeError(message, { code: 0, reason: unreachable })
}
