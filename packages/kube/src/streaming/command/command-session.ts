import type { CommandStatus } from './command-status.ts'
import type { CommandStreams } from './command-streams.ts'

/** The connection of a client of exec or attach. */
export interface CommandSession {
  readonly streams: CommandStreams
  /** Sends everything that was written, then the status, and closes the connection. */
  finish(status: CommandStatus): Promise<void>
}
