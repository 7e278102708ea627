import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export type Line = { readonly event: string; readonly at?: number; readonly name?: string } & {
  readonly [field: string]: unknown
}

/** A controller in its own process, and the events that it has reported so far. */
export interface MeasuredProcess {
  readonly lines: readonly Line[]
  /** The first line with this event, once it is reported. */
  line(event: string): Promise<Line>
  stop(): Promise<void>
}

export function startMeasured(command: readonly string[]): MeasuredProcess {
  const [file = '', ...args] = command
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: Line[] = []
  let changed = Promise.withResolvers<void>()
  let code: number | null | undefined
  createInterface(child.stdout).on('line', (text) => {
    lines.push(JSON.parse(text))
    changed.resolve()
    changed = Promise.withResolvers()
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', (exit) => {
      code = exit
      changed.resolve()
      resolve()
    })
  })
  return {
    lines,
    line: async (event) => {
      for (;;) {
        const found = lines.find((line) => line.event === event)
        if (found) return found
        if (code !== undefined) throw new Error(`${file} ended with ${code} before ${event}`)
        await changed.promise
      }
    },
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}
