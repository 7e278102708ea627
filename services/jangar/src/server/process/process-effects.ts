import type { ConfigEffects } from '@agents/kube'
import type { LogSink } from '@agents/log'

/** The machine, as far as a process of the service needs it. */
export interface ProcessEffects extends ConfigEffects {
  readonly output: LogSink & { readonly isTTY?: boolean }
  readonly errors: { write(text: string): unknown }
  /** Unlike that of any other process, also of an earlier life of this one. */
  readonly identity: string
  /** Asks the process to end. */
  readonly stop: AbortSignal
  /** Told once the probes can be asked. */
  readonly onListening?: (port: number) => void
}
