import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { type CommandStreams, StreamFailure } from '@agents/kube'
import type { RunningContainer } from '../container/running-container.ts'
import { inputEndName, inputName } from '../container/shim.ts'

/** Output that a client has not read yet, above which it is disconnected: a slow client must not stop the container. */
const mostUnread = 4 * 1024 * 1024

/**
 * Connects a client to a running container: its output from now on, and its input if the container reads one. Resolves
 * when the container has ended or the client has disconnected.
 */
export async function attachTo(
  container: RunningContainer,
  { stdin, stdout, stderr, signal }: CommandStreams,
): Promise<number> {
  const { promise: isOver, resolve, reject } = Promise.withResolvers<void>()
  // A container has one pipe for both streams.
  const output = stdout ?? stderr
  const stopOutput = container.onOutput((chunk) => {
    if (output === undefined || output.destroyed) return
    output.write(chunk)
    if (output.writableLength > mostUnread) {
      reject(new StreamFailure(500, 'the client reads the output of the container too slowly'))
    }
  })
  const input = stdin && container.input && openInput(container)
  if (input !== undefined) stdin?.pipe(input)
  // Input that nobody reads is discarded.
  else stdin?.resume()
  signal.addEventListener('abort', () => resolve(), { once: true })
  container.ended.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted || container.ended.aborted) resolve()
  try {
    await isOver
    return 0
  } finally {
    stopOutput()
    stdin?.unpipe()
    input?.destroy()
  }
}

/** The end of one client's input is the end of the container's only if its pod says so. */
function openInput({ folder, input: ending }: RunningContainer): Socket {
  const input = new Socket({ fd: openForWriting(folder, inputName), readable: false })
  input.on('error', () => undefined)
  if (ending === 'once') input.once('close', () => endInput(folder))
  return input
}

/** Lets the shim close the input of the container. */
function endInput(folder: string): void {
  try {
    const end = new Socket({ fd: openForWriting(folder, inputEndName), readable: false })
    end.on('error', () => undefined)
    end.destroy()
  } catch {
    // It has been closed before.
  }
}

/** Fails instead of waiting if nobody reads the pipe. */
function openForWriting(folder: string, name: string): number {
  return openSync(join(folder, name), constants.O_WRONLY | constants.O_NONBLOCK)
}
