import type { ContainerPlace } from './attempt-record.ts'

/** What is needed to join a running container. */
export interface RunningContainer {
  /** The shim: ancestor of the container's processes, in their mount namespace, unless an engine runs them. */
  readonly pid: number
  readonly folder: string
  readonly engineName: string | undefined
  readonly place: ContainerPlace | undefined
  readonly input: 'open' | 'once' | undefined
  /** Environment of the shim; undefined if it is unknown. */
  readonly environment: () => Promise<Readonly<Record<string, string>> | undefined>
  /** Aborts when the container has ended, or this node stops. */
  readonly ended: AbortSignal
  /** Passes on output from now on. Returns a function that stops it. */
  readonly onOutput: (listener: (chunk: Buffer) => void) => () => void
}
