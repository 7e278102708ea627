import type { Writable } from 'node:stream'

/** Writes, and resolves when more can be written: a slow reader slows down the writer. False once it is closed. */
export function writeAndWait(socket: Writable, data: Uint8Array): Promise<boolean> {
  if (socket.destroyed || socket.writableEnded) return Promise.resolve(false)
  if (socket.write(data)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const done = (isOpen: boolean): void => {
      socket.off('drain', onDrain)
      socket.off('close', onClose)
      resolve(isOpen)
    }
    const onDrain = (): void => done(true)
    const onClose = (): void => done(false)
    socket.once('drain', onDrain)
    socket.once('close', onClose)
  })
}

/** Ends the stream and resolves when everything that was written to it has been sent, or cannot be. */
export function endFlushed(stream: Writable | undefined, signal: AbortSignal): Promise<void> {
  if (stream === undefined || stream.destroyed || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
    stream.once('close', resolve)
    stream.end(() => resolve())
  })
}
