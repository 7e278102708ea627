import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureGoProgram } from '../testbed/go-program.ts'

/** It refuses whoever does not send them. */
export const receiverHeaders = 'x-test-key=not-a-real-key'

/** As the collector prints it: OTLP's JSON. */
export interface ReadBatch {
  readonly resourceSpans: readonly {
    readonly resource: object
    readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly object[] }[]
  }[]
}

export interface GoReceiver {
  readonly grpc: string
  readonly http: string
  /** What was read, as it comes. */
  readonly batches: ReadBatch[]
  stop(): Promise<void>
}

/** The path of the program; undefined where there is no Go. */
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
      const said = JSON.parse(line)
      if ('grpc' in said) resolve(said)
      else batches.push(said)
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
