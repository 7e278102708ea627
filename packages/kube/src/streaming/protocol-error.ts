/** The other side broke the protocol of its connection, or exceeded a limit. The connection cannot continue. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
}
