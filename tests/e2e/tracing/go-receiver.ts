import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureGoProgram } from '../../support/testbed/go-program.ts'

/** The receiver rejects requests without these headers. */
export const receiverHeaders = 'x-test-key=not-a-real-key'

/** A batch as the collector prints it, in OTLP JSON. */
interface ReadBatch {
  readonly resourceSpans: readonly {
    readonly resource: object
    readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly object[] }[]
  }[]
}

export interface GoReceiver {
  readonly grpc: string
  readonly http: string
  /** The batches in the order in which they arrive. */
  readonly batches: ReadBatch[]
  stop(): Promise<void>
}

/** Builds the program and returns its path; undefined where Go is not installed. */
export function buildGoReceiver(): Promise<string | undefined> {
  return ensureGoProgram(join(import.meta.dirname, 'receiver'))
}

export async function startGoReceiver(program: string): Promise<GoReceiver> {
  const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] })
  const batches: ReadBatch[] = []
  const addresses = await new Promise<{ grpc: string; http: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => reject(new Error('the receiver ended before it listened')))
    createInterface(child.stdout).on('line', (line) => {
      const output = JSON.parse(line)
      if ('grpc' in output) resolve(output)
      else batches.push(output)
    })
  })
  return {
    grpc: `http://${addresses.grpc}`,
    http: `http://${addresses.http}`,
    batches,
    stop: async () => {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    },
  }
}
