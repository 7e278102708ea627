/** An error that a retry would not fix: it is logged and counted, and the key is not requeued. */
export class TerminalError extends Error {
  override name = 'TerminalError'
}
