/** Trying again would fail the same way: logged and counted, but not put back on the queue. */
export class TerminalError extends Error {
  override name = 'TerminalError'
}
