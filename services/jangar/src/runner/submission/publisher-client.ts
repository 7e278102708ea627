import { createReadStream } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { publishSocket } from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { type Stop, throwIfStopped } from '../process/stop.ts'
import { FrameReader, frame, type Reply } from './protocol.ts'
import { reachable } from './socket-path.ts'

/** The runner's end of the connection to `publish`. */
export interface PublisherClient {
  /** Submits a commit with the pack of what the fetched repository lacks, and waits for the answer. */
  submit(work: { commit: string; packPath?: string; packBytes: number }): Promise<Reply>
  /** Without a submission: `publish` ends and pushes nothing. */
  close(): void
}

/** `publish` starts beside us, perhaps later. */
const connectTimeoutMs = 300_000

export async function connectPublisher(folder: string, stop: Stop): Promise<PublisherClient> {
  const socket = await connected(folder, stop)
  // Its end is noticed when something is submitted.
  socket.on('error', () => undefined)
  return {
    submit: async ({ commit, packPath, packBytes }) => {
      socket.write(frame({ commit, packBytes }))
      if (packPath !== undefined && packBytes > 0) await sendFile(socket, packPath, packBytes)
      const reply = await new FrameReader(socket).reply().catch(() => undefined)
      if (reply !== undefined) return reply
      throw new RunFailure('PublisherUnavailable', 'the publisher exited without a reply')
    },
    close: () => socket.destroy(),
  }
}

async function connected(folder: string, stop: Stop): Promise<Socket> {
  const short = await reachable(folder)
  try {
    const path = join(short.folder, publishSocket)
    const deadline = Date.now() + connectTimeoutMs
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 500)) {
      throwIfStopped(stop)
      const socket = await tryConnect(path)
      if (socket !== undefined) return socket
      if (Date.now() > deadline) {
        throw new RunFailure('PublisherUnavailable', 'the publisher did not start in time')
      }
      await delay(pauseMs)
    }
  } finally {
    await short.release()
  }
}

function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}

async function sendFile(socket: Socket, path: string, bytes: number): Promise<void> {
  const pieces = createReadStream(path, { end: bytes - 1 }) as AsyncIterable<Buffer>
  for await (const piece of pieces) {
    if (socket.destroyed) return
    if (socket.write(piece)) continue
    await new Promise<void>((resolve) => {
      socket.once('drain', resolve)
      socket.once('close', () => resolve())
    })
  }
}
