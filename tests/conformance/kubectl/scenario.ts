import type { Difference } from './differences.ts'

/** Commands in the order in which a user would type them, in their own namespace. */
export interface Scenario {
  readonly name: string
  /** Uses pods on an existing node, so that the server must know where logs come from. */
  readonly readsLogs?: true
  /** Uses pods that run on the node `local`. */
  readonly onNode?: true
  readonly steps: readonly (Step | string)[]
}

/**
 * `$NS` in a command or its input stands for the story's namespace, `$KUBELET` for the port of a kubelet, `$PORT` for a
 * free port and `$NODE` for the path of Node. A certificate and its key are in `tls.crt` and `tls.key`.
 */
export interface Step {
  /** The arguments of `kubectl` as a user would type them; quotes keep words together. */
  readonly command: string
  readonly stdin?: string
  /** A kubectl command whose output is the input, as in a pipe. */
  readonly stdinFrom?: string
  /** A file in the story's folder that is the input. */
  readonly stdinFile?: string
  /** Whether kubectl must use SPDY instead of WebSockets. */
  readonly spdy?: boolean
  /** Sent to the port that kubectl forwards. The answer is part of the transcript; then the command is stopped. */
  readonly exchange?: string
  /** A shell script that changes the file `$1`, in place of an editor. */
  readonly editor?: string
  /** Token of a user other than the administrator. */
  readonly token?: string
  /** The command is stopped when it has printed lines with this; its exit code is then ignored. */
  readonly until?: RegExp
  /** Run in another terminal once the server has accepted the watch, or answered that the object does not exist yet. */
  readonly meanwhile?: readonly (Step | string)[]
  /** Whether the order of lines is ignored. */
  readonly unordered?: boolean
  /** Intentional differences between the two servers, or between machines. */
  readonly except?: Difference
}
