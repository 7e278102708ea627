import { connect } from 'node:net'
import { join } from 'node:path'
import type { EmbeddedServer } from '../../support/testbed/embedded-server.ts'

export interface LoopReading {
  /** Longest CPU time of the main thread between two turns of its event loop since the last reading. */
  readonly longestMs: number
  readonly peakBytes: number
}

/** Flags of Node that load the probe into a server. */
export const probeFlags = ['--import', join(import.meta.dirname, 'loop-probe.mjs')] as const

/** Ports of the probes, cached because the log that contains them grows. */
const ports = new WeakMap<EmbeddedServer, number>()

/** What the probe has measured since the last reading. */
export async function readLoopProbe(server: EmbeddedServer): Promise<LoopReading> {
  const port = ports.get(server) ?? (await findPort(server))
  ports.set(server, port)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('end', () => resolve(JSON.parse(text) as LoopReading))
  })
}

async function findPort(server: EmbeddedServer): Promise<number> {
  const [, port] = /^loop probe (\d+)$/m.exec(await server.log()) ?? []
  if (port === undefined) throw new Error('the server runs without the probe')
  return Number(port)
}
