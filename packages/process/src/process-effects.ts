import type { ConfigEffects } from '@agents/kube'
import type { LogSink } from '@agents/log'

/** The access to the machine that a service needs. Tests pass their own. */
export interface ProcessEffects extends ConfigEffects {
  readonly output: LogSink & { readonly isTTY?: boolean }
  readonly errors: { write(text: string): unknown }
  /** Unique to this start of the process: a restarted process has another one. */
  readonly identity: string
  /** Aborted when the process has to end. */
  readonly stop: AbortSignal
  /** Called once the probe server listens. */
  readonly onListening?: (port: number) => void
}
