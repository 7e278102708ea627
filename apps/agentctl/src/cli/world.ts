import type { Style } from './style.ts'

export interface Output {
  write(text: string): void
  /** Waits for a slow reader, so that much text does not pile up in memory. */
  pour(bytes: Uint8Array): Promise<void>
  readonly style: Style
  readonly isTerminal: boolean
}

/** What a command sees of the machine. */
export interface World {
  readonly stdout: Output
  readonly stderr: Output
  readonly readStdin: () => Promise<string>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly workingDirectory: string
  readonly home: string
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly stop: AbortSignal
  readonly now: () => Date
  /** Since the process began. */
  readonly elapsedMs: () => number
  readonly version: string
  /** Where the sources are. */
  readonly checkout: string
  /** Ends the process at once: for what cannot be ended in order. */
  readonly exit: (code: number) => never
}
