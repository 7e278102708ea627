import type { Duplex } from 'node:stream'
import type { KubeObject } from '../object.ts'
import type { StreamChoice } from './command/command-streams.ts'
import type { RunCommand } from './command/serve-command.ts'

/**
 * Connections to the containers of a node, for the server that its clients call. Each method checks that the connection
 * is possible; a StreamFailure is sent to the client.
 */
export interface PodStreams {
  exec(
    pod: KubeObject,
    container: string,
    command: readonly string[],
    choice: StreamChoice,
  ): Promise<RunCommand>
  attach(pod: KubeObject, container: string, choice: StreamChoice): Promise<RunCommand>
  portForward(pod: KubeObject): Promise<ConnectPort>
}

/** Connects to a port of a pod. */
export type ConnectPort = (port: number, signal: AbortSignal) => Promise<Duplex>
