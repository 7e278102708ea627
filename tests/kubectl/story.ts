import type { Difference } from './differences.ts'

/** Commands in the order in which somebody types them, in a namespace of their own. */
export interface Story {
  readonly name: string
  /** Of pods on a node that is there, so the server must know where logs come from. */
  readonly readsLogs?: true
  readonly steps: readonly (Step | string)[]
}

/**
 * `$NS` in a command or its input stands for the story's namespace, `$KUBELET` for the port of a kubelet. A certificate and
 * its key are in `tls.crt` and `tls.key`.
 */
export interface Step {
  /** What follows `kubectl`, as one would type it; quotes keep words together. */
  readonly command: string
  readonly stdin?: string
  /** A shell script that changes the file `$1`, in place of an editor. */
  readonly editor?: string
  /** Of somebody else than the administrator. */
  readonly token?: string
  /** The command is stopped when it has printed lines with this; its exit code is then no matter. */
  readonly until?: RegExp
  /** Typed in another terminal once the server has answered that it will tell of changes, or that there is nothing yet. */
  readonly meanwhile?: readonly (Step | string)[]
  /** The lines have no order. */
  readonly unordered?: boolean
  /** What the two servers may say differently, on purpose. */
  readonly except?: Difference
}
