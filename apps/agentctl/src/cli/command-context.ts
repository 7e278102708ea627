import type { Readable, Writable } from 'node:stream'
import type { Style } from './style.ts'

export interface Output {
  /**
   * Writes text for a person. Control characters in it are made visible: they may come from anyone who writes to the
   * cluster.
   */
  write(text: string): void
  /** Writes a document for a program unchanged: JSON, YAML, a script. */
  writeDocument(text: string): void
  /**
   * Writes the output of a program unchanged, but a terminal gets only its colours of all control sequences. Waits
   * for a slow reader, so that output does not pile up in memory.
   */
  pour(bytes: Uint8Array): Promise<void>
  readonly style: Style
  readonly isTerminal: boolean
}

/** The terminal or the pipes of the program, for a command that another program reads and writes through it. */
export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Whether both input and output are a terminal. */
  readonly isInteractive: boolean
  /** Passes every key on, Ctrl-C included, until the returned function is called. */
  makeRaw(): () => void
  /** Calls back with the current size, and with each later one. Returns a function that stops it. */
  onResize(resize: (size: { width: number; height: number }) => void): () => void
}

/** What a command gets from the machine that it runs on. */
export interface CommandContext {
  readonly stdout: Output
  readonly stderr: Output
  readonly readStdin: () => Promise<string>
  readonly terminal: Terminal
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly workingDirectory: string
  readonly home: string
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly stop: AbortSignal
  readonly now: () => Date
  /** Since the process started. */
  readonly elapsedMs: () => number
  readonly version: string
  /** Whether the program runs from a checkout, or from an npm package. */
  readonly installation: 'checkout' | 'package'
  /** The folder with the charts' examples and everything else that the program reads at run time. */
  readonly root: string
  /** Where the local platform keeps its state if neither --state-dir nor AGENTCTL_STATE_DIR is set. */
  readonly defaultStateDir: string
  /** Ends the process at once, for what cannot be stopped in order. */
  readonly exit: (code: number) => never
  /** To be called by a command that must not end at once when its terminal is closed: `stop` is aborted instead. */
  readonly stopInOrder: () => void
}
